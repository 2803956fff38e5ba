import { stripVTControlCharacters } from 'node:util';
import { Log, LogLevel, type Miniflare } from 'miniflare';
import { wranglerEnvironment } from '../../scripts/run-wrangler.ts';
import type { RuntimeMessage, StartMessage } from './separate-runtime.ts';
import { placeDatabases, startRuntime } from './test-runtime.ts';

/*
 * The program of `separate-runtime.ts`. Its first message says what to start; any further message, or the end of its
 * parent, stops it.
 */

/** Ignores errors if the parent is gone; `disconnect` handles that. */
const tell = (message: RuntimeMessage) => process.send?.(message, undefined, {}, () => {});

/** Miniflare logs where it has saved a mail. */
class ToldLog extends Log {
  override logWithLevel(_level: LogLevel, message: string): void {
    for (const line of stripVTControlCharacters(message).split('\n')) tell({ line });
  }
}

let runtime: Miniflare | undefined;
const end = async () => {
  await runtime?.dispose();
  process.exit();
};
process.on('disconnect', end);
process.once('message', async ({ isNew, ...options }: StartMessage) => {
  process.on('message', end);
  try {
    Object.assign(process.env, wranglerEnvironment());
    if (isNew) await placeDatabases(options.stateDir, options.bundle);
    runtime = await startRuntime({
      ...options,
      log: new ToldLog(LogLevel.INFO),
      onLine: ({ message }) => tell({ line: message }),
    });
    tell({ ready: true });
  } catch (error) {
    tell({ failed: String(error) });
  }
});
