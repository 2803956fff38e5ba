import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Variables of this run and of npm that a user with a new clone doesn't have. */
const OURS = /^(npm_|PASS_WALLET_|INIT_CWD$|(STATE_DIR|LOCAL_DIR|BASE_URL|PORT|HOST|LOG|API_KEY|ENCRYPTION_KEYS?)$)/i;

/**
 * Copies the files that a clone would have, including uncommitted changes. Uses the dependencies installed here,
 * because tests contact no registry.
 */
export function cloneInto(folder: string): void {
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 24 } as const;
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options);
  for (const path of listed.split('\0').filter((one) => one !== '' && existsSync(join(ROOT, one)))) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    copyFileSync(join(ROOT, path), join(folder, path));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Returns the environment of a new user with an empty home directory. */
export function newUser(home: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  mkdirSync(home, { recursive: true });
  const inherited = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  // Otherwise npm asks its registry for a newer version once a day.
  return { ...Object.fromEntries(inherited), HOME: home, NO_UPDATE_NOTIFIER: '1', ...more };
}

/** Returns the commands on the README's first screen, except the tests, without comments. */
export function firstScreen(): { start: string; others: string[] } {
  const section = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n## Quick start\n')[1]!.split('\n## ')[0]!;
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => withoutComments(block!));
  const [start, ...others] = blocks.flatMap((block) => (block.includes('npm start') ? block.split('\n') : [block]));
  return { start: start!, others: others.filter((block) => !/^(npm test)?$/.test(block)) };
}

function withoutComments(block: string): string {
  return block
    .split('\n')
    .map((line) => line.replace(/ +# .*$/, ''))
    .join('\n')
    .trim();
}
