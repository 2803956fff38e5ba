import { styleText } from 'node:util';
import type { StatusView } from '../src/admin/service-commands.ts';
import { runAdminCommand } from './admin-client.ts';
import { STATUS } from './cli/commands/status.ts';
import { readCommandLine } from './cli/parse-words.ts';
import { typed } from './cli/program.ts';
import { findService } from './service-record.ts';
import { readSettings, runMain } from './settings.ts';

/* pass-wallet status: reports whether the service runs on this machine, and its health. */

await runMain(async () => {
  const { values } = await readCommandLine('status', STATUS);
  const { stateDir } = readSettings(process.env);
  const record = await findService(stateDir);
  const service = record ? await runAdminCommand<StatusView>(record, 'status') : null;
  if (!service?.healthy) process.exitCode = 1;
  if (values.json) {
    console.log(JSON.stringify({ running: record !== undefined, baseUrl: record?.baseUrl ?? null, stateDir, service }));
  } else if (service === null) {
    console.log(`${styleText('yellow', 'The service does not run')} on ${stateDir}. Start it with: ${typed('start')}`);
  } else {
    // Loaded late: its labels for all metrics take longer to load than finding out that no service runs.
    const { statusText } = await import('./status-text.ts');
    console.log(`${styleText('green', 'The service runs')} at ${record?.baseUrl}.\n\n${statusText(service)}`);
  }
});
