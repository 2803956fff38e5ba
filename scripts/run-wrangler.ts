import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { prepareDirectory } from './files.ts';
import { Problem, ROOT } from './settings.ts';
import { WRANGLER, wranglerEnvironment } from './worker-process.ts';

/** Makes sure that wrangler can write where it keeps what it builds; throws a `Problem` otherwise. */
export function prepareCheckout(root = ROOT): void {
  const own = join(root, '.wrangler');
  for (const path of [own, join(own, 'tmp'), join(own, 'client')]) prepareDirectory(path);
}

/**
 * Runs a command of wrangler to its end. Throws a `Problem` that begins with `failure` and goes on with wrangler's
 * words.
 */
export async function runWrangler(parameters: string[], failure: string): Promise<void> {
  const child = spawn(process.execPath, [WRANGLER, ...parameters], {
    cwd: ROOT,
    env: wranglerEnvironment(),
    // Without a terminal wrangler does not ask.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Problem(`${failure}\n${said}${complained}`);
}
