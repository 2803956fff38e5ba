import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { atExit } from './at-exit.ts';
import { prepareDirectory } from './files.ts';
import { LOCAL_FOLDER } from './local-build.ts';
import { Problem, ROOT } from './settings.ts';

export const WRANGLER = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js');

/**
 * Returns wrangler's environment. Unless ours says otherwise, it sends no reports, looks nothing up and doesn't prompt.
 */
export function wranglerEnvironment(): NodeJS.ProcessEnv {
  return {
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    // Otherwise the runtime looks up its location on the internet.
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    // Disables a page and API below /cdn-cgi/ that run any SQL for requests with `Host: localhost`.
    X_LOCAL_EXPLORER: 'false',
    // Wrangler traces every request in its own database, which costs about as much as the request.
    X_LOCAL_OBSERVABILITY: 'false',
    ...process.env,
  };
}

/** Makes sure that wrangler's build folders are writable; throws a `Problem` otherwise. */
export function prepareCheckout(root = ROOT): void {
  const own = join(root, '.wrangler');
  const folders = ['', 'tmp', 'client', 'worker'].map((name) => join(own, name));
  for (const path of [...folders, join(root, LOCAL_FOLDER)]) prepareDirectory(path);
}

/** Runs a wrangler command and returns its output. Throws a `Problem` of `failure` and wrangler's own message. */
export async function runWrangler(
  parameters: string[],
  failure: string,
  more: NodeJS.ProcessEnv = {},
): Promise<string> {
  const child = spawn(process.execPath, [WRANGLER, ...parameters], {
    cwd: ROOT,
    env: { ...wranglerEnvironment(), ...more },
    // Without a terminal, wrangler doesn't prompt.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const callOff = atExit(() => child.kill());
  const [said, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  callOff();
  if (code !== 0) throw new Problem(`${failure}\n${said}${complained}`);
  return said;
}
