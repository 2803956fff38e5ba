import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { wranglerEnvironment } from './run-wrangler.ts';
import { Problem, ROOT } from './settings.ts';

const HOST = join(import.meta.dirname, 'worker-host.ts');
const START_MS_MAX = 60_000;
/** Lines kept to explain why a Worker failed to start. */
const ERRORS_MAX = 40;

/** The one message sent to the host. */
export interface HostedWorker {
  /** Configuration file instead of `wrangler.toml`. */
  config?: string;
  /** Holds database and files. */
  stateDir: string;
  /** Variables and secrets. */
  variables: Record<string, string>;
  /** Whether its cron trigger runs every minute. */
  cron?: boolean;
}

/** The host's one answer. */
export type HostMessage = { origin: string } | { failed: string };

export interface WorkerOptions extends HostedWorker {
  /** Called with each line that wrangler or the Worker writes. */
  onLine?: (line: string, isError: boolean) => void;
}

export interface WorkerProcess {
  /** Wrangler's address, reachable only from this machine. */
  origin: string;
  /** Settles when the Worker ends, for any reason. */
  ended: Promise<unknown>;
  stop(): Promise<unknown>;
}

/**
 * Starts the Worker like developers do, and waits until it is healthy. Throws a `Problem` with its errors if it ends or
 * doesn't answer. Its processes end with `stop`, or when this process is gone.
 */
export async function startWorker({ onLine, ...options }: WorkerOptions): Promise<WorkerProcess> {
  const child = fork(HOST, { cwd: ROOT, env: wranglerEnvironment(), detached: true, silent: true, execArgv: [] });
  const ended = once(child, 'close');
  child.on('exit', () => endGroup(child.pid!));
  const errors: string[] = [];
  for (const stream of [child.stdout!, child.stderr!]) {
    const isError = stream === child.stderr;
    createInterface({ input: stream }).on('line', (text) => {
      const line = stripVTControlCharacters(text);
      if (isError && errors.length < ERRORS_MAX) errors.push(line);
      onLine?.(line, isError);
    });
  }
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  child.send(options satisfies HostedWorker);
  const answer = once(child, 'message', { signal: AbortSignal.timeout(START_MS_MAX) }) as Promise<[HostMessage]>;
  const [said] = await Promise.race([answer, ended.then(() => [])]).catch(() => []);
  if (said && 'origin' in said) return { origin: said.origin, ended, stop };
  await stop();
  const words = said ? [said.failed, ...errors] : errors;
  throw new Problem(`The Worker did not start: ${words.join('\n') || 'wrangler ended without an error.'}`);
}

/** Ends what a killed host left behind, if anything. */
function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
