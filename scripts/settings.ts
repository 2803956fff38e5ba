import { join, resolve } from 'node:path';
import { invoked, isCommandLine, typed, wantsJson } from './cli/program.ts';
import { endProgress } from './cli/progress.ts';

/** A failure that the user can fix. Shown as one clear sentence, without a stack. */
export class Problem extends Error {}

/** An invalid command line. */
export class UsageProblem extends Problem {}

/** Settings of the service on this machine. */
export interface Settings {
  port: number;
  /** Address to listen on. */
  host: string;
  /** Address for local programs: the service listens on the loopback address, too, whatever HOST says. */
  origin: string;
  /** Base of links in replies. */
  baseUrl: string;
  /** Database, files and secrets. */
  stateDir: string;
  /** Files for people and other programs: `demo.json`, the Worker's log, the demo's pass file. */
  localDir: string;
}

export const ROOT = resolve(import.meta.dirname, '..');
const PORT_DEFAULT = 8787;
const PORT_MAX = 65_535;
const HOST_DEFAULT = '127.0.0.1';

/** Reads PORT, HOST, STATE_DIR, LOCAL_DIR and BASE_URL. Throws a `Problem` for an invalid port. */
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
 * Runs a script's main function. On failure, exits with code 1 and the message, and a stack unless it's a `Problem`.
 * With --json, prints `{error}` to standard output. `interrupted` is the message on Ctrl-C, which ends the script at
 * once.
 */
export async function runMain(main: () => Promise<void>, { interrupted }: { interrupted?: string } = {}) {
  const stop = () => {
    fail(new Problem(interrupted));
    process.exit();
  };
  // The launcher forwards signals that the terminal has already sent, so the handler must stay for the second one.
  if (interrupted) for (const signal of INTERRUPTIONS) process.on(signal, stop);
  try {
    await main();
  } catch (error) {
    fail(error);
  }
}

/** Prints the error and sets the exit code. Only the command line has a separate code for usage errors. */
export function fail(error: unknown): void {
  endProgress();
  const message = error instanceof Error ? error.message : String(error);
  if (wantsJson()) console.log(JSON.stringify({ error: message }));
  console.error(error instanceof Problem ? message : error);
  if (error instanceof UsageProblem && invoked.command && !message.includes('--help')) {
    console.error(`${typed(invoked.command, '--help')} shows its options.`);
  }
  process.exitCode = error instanceof UsageProblem && isCommandLine() ? USAGE_CODE : 1;
}
