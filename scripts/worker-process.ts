import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { writePrivate } from './files.ts';
import { isHealthy } from './service-record.ts';
import { Problem, ROOT } from './settings.ts';
import { ERROR_LINE } from './worker-log.ts';

export const WRANGLER = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js');
const GUARD = join(ROOT, 'scripts', 'guard.ts');
const CHECK_MS = 50;
const START_MS_MAX = 60_000;
/** Lines that are kept to explain a Worker that did not start. */
const LAST_LINES_MAX = 40;

export interface WorkerOptions {
  port: number;
  host: string;
  /** Where it will answer. */
  origin: string;
  /** Variables and secrets; written to a file that only this user may read. */
  variables: Record<string, string>;
  /** Holds the database and that file. */
  stateDir: string;
  /** Another configuration file than `wrangler.toml`. */
  config?: string;
  /** Called with each line that wrangler or the Worker writes. */
  onLine?: (line: string) => void;
}

export interface WorkerProcess {
  /** Settles when it has ended, whoever ended it. */
  ended: Promise<void>;
  stop(): Promise<void>;
  /** Ends it at once, without a chance to tidy up; for tests of what survives that. */
  kill(): Promise<void>;
}

/** Wrangler's environment, where ours does not say otherwise: nothing is reported, looked up or asked. */
export function wranglerEnvironment(): NodeJS.ProcessEnv {
  return {
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    // The runtime would look up its own location on the Internet.
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    // A page and an API below /cdn-cgi/ that run any SQL for whoever says `Host: localhost`.
    X_LOCAL_EXPLORER: 'false',
    // Wrangler keeps a trace of every request in a database of its own, which costs about as much as the request.
    X_LOCAL_OBSERVABILITY: 'false',
    ...process.env,
  };
}

/**
 * Starts the Worker as developers do, with `wrangler dev`, and waits until it answers. Throws a `Problem` with
 * wrangler's last words when it ends or stays silent. It runs in a process group of its own, which ends with `stop` and
 * also when this process is gone.
 */
export async function startWorker(options: WorkerOptions): Promise<WorkerProcess> {
  const envFile = join(options.stateDir, 'worker.env');
  const lines = Object.entries(options.variables).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
  writePrivate(envFile, lines.join(''));
  const child = spawn(process.execPath, [GUARD, process.execPath, WRANGLER, ...devParameters(options, envFile)], {
    cwd: ROOT,
    env: wranglerEnvironment(),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    readLines(stream!, (line) => {
      lastLines.push(line);
      if (lastLines.length > LAST_LINES_MAX) lastLines.shift();
      options.onLine?.(line);
    });
  }
  const ended = once(child, 'close').then(() => rmSync(envFile, { force: true }));
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  const kill = () => {
    process.kill(-child.pid!, 'SIGKILL');
    return ended;
  };
  if (!(await answers(options.origin, ended))) {
    await stop();
    throw new Problem(`The Worker did not start: ${reasonIn(lastLines)}`);
  }
  return { ended, stop, kill };
}

function devParameters({ port, host, stateDir, config }: WorkerOptions, envFile: string): string[] {
  return [
    // Without a name wrangler takes CLOUDFLARE_ENV, and warns.
    ...['dev', '--env', '', '--port', String(port), '--ip', host],
    ...['--persist-to', stateDir, '--env-file', envFile],
    ...['--inspector-port', '0', '--show-interactive-dev-session=false'],
    ...(config ? ['--config', config] : []),
  ];
}

function readLines(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream }).on('line', (line) => onLine(stripVTControlCharacters(line)));
}

/** Whether the Worker answers before it ends or the time is over. */
async function answers(origin: string, ended: Promise<void>): Promise<boolean> {
  const deadline = Date.now() + START_MS_MAX;
  const gone = ended.then(() => 'gone' as const);
  while (Date.now() < deadline) {
    const seen = await Promise.race([gone, isHealthy(origin)]);
    if (seen === 'gone') return false;
    if (seen) return true;
    await Promise.race([gone, delay(CHECK_MS)]);
  }
  return false;
}

/** What wrangler calls an error, otherwise all of its last words. */
function reasonIn(lines: string[]): string {
  const errors = lines.filter((line) => ERROR_LINE.test(line)).map((line) => line.replace(ERROR_LINE, '').trim());
  return errors.length > 0 ? errors.join(' ') : `wrangler ended without an error.\n${lines.join('\n')}`;
}
