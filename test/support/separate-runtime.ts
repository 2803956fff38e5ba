import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Log, LogLevel } from 'miniflare';
import { inject } from 'vitest';
import { wranglerEnvironment } from '../../scripts/run-wrangler.ts';
import { placeDatabases, RESOURCES, type RuntimeOptions, startRuntime } from './test-runtime.ts';

export type SeparateOptions = Omit<RuntimeOptions, 'bundle' | 'onLine' | 'outside' | 'log'>;

/** The Worker in a runtime of its own. */
export interface SeparateRuntime {
  /** Ends the runtime like a power failure, by SIGKILL; does nothing if it has ended. */
  kill(): Promise<void>;
}

/**
 * Starts the Worker of this run's bundle in its own runtime on a state folder. Migrates a new state. `onLine` gets each
 * line of its log. Miniflare runs in this process, because loading it takes longer than starting the runtime.
 */
export async function startSeparateRuntime(
  options: SeparateOptions,
  onLine: (line: string) => void,
): Promise<SeparateRuntime> {
  Object.assign(process.env, wranglerEnvironment());
  const { bundle } = inject('worker');
  if (!existsSync(join(options.stateDir, RESOURCES))) await placeDatabases(options.stateDir, bundle);
  const log = new LinesLog(onLine);
  const runtime = await startRuntime({ ...options, bundle, log, onLine: ({ message }) => onLine(message) });
  let ended: Promise<void> | undefined;
  return {
    kill() {
      ended ??= runtime.dispose();
      return ended;
    },
  };
}

/** Miniflare logs where it has saved a mail. */
class LinesLog extends Log {
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    super(LogLevel.INFO);
    this.#onLine = onLine;
  }

  override logWithLevel(_level: LogLevel, message: string): void {
    for (const line of stripVTControlCharacters(message).split('\n')) this.#onLine(line);
  }
}
