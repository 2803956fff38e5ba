import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { atExit } from './at-exit.ts';
import { prepareDirectory } from './files.ts';
import { Problem, ROOT } from './settings.ts';

export const WRANGLER = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js');

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

/** Makes sure that wrangler can write where it keeps what it builds; throws a `Problem` otherwise. */
export function prepareCheckout(root = ROOT): void {
  const own = join(root, '.wrangler');
  for (const path of [own, join(own, 'tmp'), join(own, 'client'), join(own, 'worker')]) prepareDirectory(path);
}

/**
 * Runs a command of wrangler to its end, and returns what it has said. Throws a `Problem` that begins with `failure`
 * and goes on with wrangler's words.
 */
export async function runWrangler(
  parameters: string[],
  failure: string,
  more: NodeJS.ProcessEnv = {},
): Promise<string> {
  const child = spawn(process.execPath, [WRANGLER, ...parameters], {
    cwd: ROOT,
    env: { ...wranglerEnvironment(), ...more },
    // Without a terminal wrangler does not ask.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const callOff = atExit(() => child.kill());
  const [said, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  callOff();
  if (code !== 0) throw new Problem(`${failure}\n${said}${complained}`);
  return said;
}
