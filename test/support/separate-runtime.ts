import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { RuntimeOptions } from './test-runtime.ts';

export type SeparateOptions = Omit<RuntimeOptions, 'bundle' | 'onLine' | 'outside' | 'log'> & { stateDir: string };
/** The first message to its process. */
export type StartMessage = Omit<RuntimeOptions, 'onLine' | 'outside' | 'log'> & { isNew: boolean };
/** Messages from its process. */
export type RuntimeMessage = { line: string } | { ready: true } | { failed: string };

/** The Worker in its own process. */
export interface SeparateRuntime {
  stop(): Promise<void>;
  /** Kills it without cleanup, for tests of what survives that. */
  kill(): Promise<void>;
}

const PROGRAM = join(import.meta.dirname, 'runtime-process.ts');

/**
 * Starts the Worker of this run's bundle on a state folder, in its own process group, which ends with this process.
 * Migrates a new state. `onLine` gets each line of its log.
 */
export async function startSeparateRuntime(
  options: SeparateOptions,
  onLine: (line: string) => void,
): Promise<SeparateRuntime> {
  const child = fork(PROGRAM, { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const started = new Promise<void>((resolve, reject) => {
    child.on('message', (message: RuntimeMessage) => {
      if ('line' in message) onLine(message.line);
      else if ('ready' in message) resolve();
      else reject(new Error(`The Worker did not start: ${message.failed}`));
    });
    child.on('exit', () => reject(new Error('The Worker ended while it started.')));
  });
  const isNew = !existsSync(join(options.stateDir, 'v3'));
  child.send({ ...options, bundle: inject('worker').bundle, isNew } satisfies StartMessage);
  await started;
  return { stop: () => stop(child, ended), kill: () => kill(child, ended) };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.connected) child.send('stop');
  await ended;
}

async function kill(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
}
