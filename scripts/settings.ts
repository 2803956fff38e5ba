import { join, resolve } from 'node:path';
import { invoked, isCommandLine, typed, wantsJson } from './cli/program.ts';
import { endProgress } from './cli/progress.ts';

/** A failure that is the person's to mend: its message is one clear sentence, and no stack is shown. */
export class Problem extends Error {}

/** A command line that cannot be meant. */
export class UsageProblem extends Problem {}

/** Where and how the service runs on this machine. */
export interface Settings {
  port: number;
  /** Address that the service listens on. */
  host: string;
  /** What other programs on this machine call: whatever HOST says, the service also listens on the loopback address. */
  origin: string;
  /** What links in replies start with. */
  baseUrl: string;
  /** Database, files and secrets. */
  stateDir: string;
  /** What people and other programs read: `demo.json`, the Worker's log, the demo's pass file. */
  localDir: string;
}

export const ROOT = resolve(import.meta.dirname, '..');
const PORT_DEFAULT = 8787;
const PORT_MAX = 65_535;
const HOST_DEFAULT = '127.0.0.1';

/** Reads PORT, HOST, STATE_DIR, LOCAL_DIR and BASE_URL; throws a `Problem` for a port that is none. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const port = env.PORT ? Number(env.PORT) : PORT_DEFAULT;
  if (!Number.isInteger(port) || port < 1 || port > PORT_MAX) {
    throw new Problem(`PORT must be a number from 1 to ${PORT_MAX}, not "${env.PORT}".`);
  }
  const host = !env.HOST || env.HOST === 'localhost' ? HOST_DEFAULT : env.HOST;
  const everywhere = host === '0.0.0.0' || host === '::';
  const named = everywhere || host === HOST_DEFAULT ? 'localhost' : urlHost(host);
  return {
    port,
    host,
    origin: `http://${HOST_DEFAULT}:${port}`,
    baseUrl: env.BASE_URL?.replace(/\/+$/, '') || `http://${named}:${port}`,
    stateDir: resolve(ROOT, env.STATE_DIR || join('.wrangler', 'state')),
    localDir: resolve(ROOT, env.LOCAL_DIR || '.local'),
  };
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const USAGE_CODE = 2;

/**
 * Runs a script's main function: a problem ends it with code 1 and its sentence, anything else also with its stack.
 * With --json, standard output gets `{error}`. `interrupted` says what Ctrl-C leaves, and ends the script at once.
 */
export async function runMain(main: () => Promise<void>, { interrupted }: { interrupted?: string } = {}) {
  const stop = () => {
    fail(new Problem(interrupted));
    process.exit();
  };
  // The launcher passes signals on that a terminal has sent already, so the second one must find a handler, too.
  if (interrupted) for (const signal of INTERRUPTIONS) process.on(signal, stop);
  try {
    await main();
  } catch (error) {
    fail(error);
  }
}

/** Says what is wrong, and sets the exit code. Only the command line tells wrong words from failures. */
export function fail(error: unknown): void {
  endProgress();
  const message = error instanceof Error ? error.message : String(error);
  if (wantsJson()) console.log(JSON.stringify({ error: message }));
  console.error(error instanceof Problem ? message : error);
  if (error instanceof UsageProblem && invoked.command && !message.includes('--help')) {
    console.error(`${typed(invoked.command, '--help')} shows what it takes.`);
  }
  process.exitCode = error instanceof UsageProblem && isCommandLine() ? USAGE_CODE : 1;
}
