import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ROOT } from '../../scripts/settings.ts';
import { BUNDLE_DIR } from './worker-bundle.ts';

const CLIENT = join(ROOT, 'client');

/** Folder of a program with the client installed from a packed file, like in another repository. */
export interface ClientFolder {
  path: string;
  /** Where the package is installed. */
  installed: string;
  remove(): void;
}

/** Installs the client from a packed file. Lanes of one run share the result, which takes three seconds to make. */
export function installClient(): ClientFolder {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'client-'));
  const bundle = process.env[BUNDLE_DIR];
  const shared = bundle && `${bundle}-client`;
  if (shared && existsSync(shared)) cpSync(shared, path, { recursive: true });
  else installInto(path);
  if (shared && !existsSync(shared)) {
    const copy = `${shared}-${process.pid}`;
    cpSync(path, copy, { recursive: true });
    // Another lane may have been faster.
    if (!existsSync(shared)) renameSync(copy, shared);
  }
  return {
    path,
    installed: join(path, 'node_modules', 'pass-wallet-client'),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Builds, packs and installs the client without a registry, because it has no dependencies. */
function installInto(path: string): void {
  const source = join(path, 'source');
  mkdirSync(source);
  for (const name of ['package.json', 'README.md']) cpSync(join(CLIENT, name), join(source, name));
  execFileSync(process.execPath, [join(ROOT, 'scripts/client/build.ts'), join(source, 'dist')], { cwd: ROOT });
  // Its own script would build into the repository, where other tests may be building.
  const [{ filename }] = JSON.parse(npm(source, 'pack', '--ignore-scripts', '--json', '--pack-destination', path));
  rmSync(source, { recursive: true });
  writeFileSync(join(path, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }));
  npm(path, 'install', '--offline', '--no-audit', '--no-fund', join(path, filename));
}

function npm(cwd: string, ...parameters: string[]): string {
  return execFileSync('npm', parameters, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Returns a Node with this major version on this machine, or undefined. */
export function findNode(major: number): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return [...candidates, '/usr/bin/node', '/usr/local/bin/node'].find((path) => {
    if (!existsSync(path)) return false;
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    return stdout?.startsWith(`v${major}.`);
  });
}

/** Returns the code blocks of the client's README, by the file name in their first line. */
export function readmeExamples(readme: string): Map<string, string> {
  const blocks = [...readme.matchAll(/^```js\n\/\/ (\S+\.js)\n(.*?)^```$/gms)];
  return new Map(blocks.map(([, name, code]) => [name!, code!]));
}
