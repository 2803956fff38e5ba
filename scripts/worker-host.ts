import { once } from 'node:events';
import { devNull } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { unstable_startWorker } from 'wrangler';
import { startCronClock } from './cron-clock.ts';
import { LOCAL_BUILD, LOCAL_MAIN } from './local-build.ts';
import { whenStopRequested } from './stop-request.ts';
import type { HostedWorker, HostMessage } from './worker-process.ts';

/*
 * The program behind `worker-process.ts`: runs the Worker like `wrangler dev`. Its first message says which Worker; it
 * answers with the address. Errors go to standard error, the rest to standard output. Leads a process group, which ends
 * when it is asked to stop or its parent is gone.
 */

const GRACE_MS = 4_000;
/** Wrangler runs the scheduled handler only on a request for this path. */
const SCHEDULED_PATH = '/cdn-cgi/local/scheduled';
const CRON = '* * * * *';
/** Marks an error in Miniflare's output, which logs everything alike. */
const MINIFLARE_ERROR = /^\[wrangler:error\]/;

const { log } = console;
console.log = (...said) =>
  (MINIFLARE_ERROR.test(stripVTControlCharacters(String(said[0]))) ? console.error : log)(...said);
console.warn = log;

const tell = (message: HostMessage) => process.send?.(message);
const [asked] = (await once(process, 'message')) as [HostedWorker];
const stopRequested = whenStopRequested();
process.on('exit', endGroup);
try {
  const worker = await start(asked);
  const health = await worker.fetch('http://localhost/health');
  tell(health.ok ? { origin: (await worker.url).origin } : { failed: await health.text() });
  if (asked.cron) startCronClock((scheduledAt) => fireCron(worker, scheduledAt));
  await stopRequested;
  setTimeout(endGroup, GRACE_MS);
  await worker.dispose();
} catch (error) {
  const { message, cause } = error as Error;
  tell({ failed: cause instanceof Error ? `${message}: ${cause.message}` : message });
  await stopRequested;
}
endGroup();

async function start({ config, stateDir, variables }: HostedWorker) {
  const worker = await unstable_startWorker({
    ...(config
      ? { config }
      : { config: 'wrangler.toml', entrypoint: LOCAL_MAIN, build: { custom: { command: LOCAL_BUILD } } }),
    // Without a name, wrangler uses CLOUDFLARE_ENV.
    env: '',
    // Ignores the developer's own variables.
    envFiles: [devNull],
    bindings: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, { type: 'secret_text', value }]),
    ),
    dev: {
      server: { hostname: '127.0.0.1', port: 0 },
      inspector: false,
      persist: stateDir,
      structuredLogsHandler: ({ level, message }: { level: string; message: string }) =>
        void (level === 'error' ? process.stderr : process.stdout).write(`${message}\n`),
    },
  });
  await worker.ready;
  return worker;
}

async function fireCron(worker: Awaited<ReturnType<typeof start>>, scheduledAt: Date): Promise<void> {
  const query = new URLSearchParams({ cron: CRON, time: String(scheduledAt.getTime()) });
  const reply = await worker.fetch(`http://localhost${SCHEDULED_PATH}?${query}`);
  if (!reply.ok) throw new Error(`the scheduled handler answered ${reply.status}: ${await reply.text()}`);
}

/** The group has its leader's process ID. It includes the processes that wrangler started. */
function endGroup(): void {
  process.kill(-process.pid, 'SIGKILL');
}
