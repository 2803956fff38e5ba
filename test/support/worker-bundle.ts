import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, extname, join } from 'node:path';
import { build } from 'esbuild';
import { buildClients } from '../../scripts/build-clients.ts';
import { buildWorker } from '../../scripts/build-worker.ts';
import { prepareCheckout, wranglerEnvironment } from '../../scripts/run-wrangler.ts';
import { ROOT } from '../../scripts/settings.ts';

/**
 * Folder with the bundled Workers; without it, vitest uses those of an earlier run. `scripts/test.ts` sets it, so that
 * its lanes share one bundle.
 */
export const BUNDLE_DIR = 'BUNDLE_DIR';

/** The Worker's entry module. */
const RECORDED = 'index.js';
const BINDINGS = 'bindings-worker.js';
const OPTIONS = 'options.json';

/**
 * Bundles the Worker under test like a local service, and the one that gives access to its bindings, with Miniflare's
 * options from `wrangler.toml`, because loading wrangler takes each process a second.
 */
export async function bundleWorkers(folder: string): Promise<void> {
  prepareCheckout();
  await buildClients();
  Object.assign(process.env, wranglerEnvironment());
  const { unstable_getMiniflareWorkerOptions: optionsOf } = await import('wrangler');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, OPTIONS), JSON.stringify(optionsOf(join(ROOT, 'wrangler.toml')).workerOptions));
  await Promise.all([
    buildWorker('test/support/recorded-worker.ts', recordedFolder(folder), { isLocal: true }),
    build({
      entryPoints: [join(ROOT, 'test', 'support', 'bindings-worker.ts')],
      outfile: join(bindingsFolder(folder), BINDINGS),
      bundle: true,
      format: 'esm',
      target: 'es2024',
      conditions: ['workerd', 'worker', 'browser'],
      external: ['node:*', 'cloudflare:*'],
      logLevel: 'warning',
    }),
  ]);
}

/** Bundles cached for later runs. */
const KEPT = join(ROOT, '.wrangler', 'test-bundles');
const KEPT_MAX = 3;
/** The sources of a bundle. */
const SOURCES = ['src', 'test/support', 'scripts', 'wrangler.toml', 'package-lock.json', '.dev.vars'];
const CLIENT_MANIFEST = join(ROOT, '.wrangler', 'client', 'manifest.json');

/** Returns a folder with up-to-date Workers: from an earlier run if no file has changed, otherwise new ones. */
export async function keptBundle(): Promise<string> {
  const sources = digestOfSources();
  const known = folderOf(sources);
  if (existsSync(known)) return known;
  mkdirSync(KEPT, { recursive: true });
  const made = mkdtempSync(join(KEPT, 'new-'));
  await bundleWorkers(made);
  const kept = folderOf(sources);
  // Another run may have been faster.
  if (!existsSync(kept)) renameSync(made, kept);
  const oldestFirst = readdirSync(KEPT).sort((a, b) => madeAt(a) - madeAt(b));
  for (const name of oldestFirst.slice(0, -KEPT_MAX)) rmSync(join(KEPT, name), { recursive: true, force: true });
  return kept;
}

const madeAt = (name: string) => statSync(join(KEPT, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The bundle contains the addresses of the browser files, which another build may have replaced. */
function folderOf(sources: string): string {
  const manifest = existsSync(CLIENT_MANIFEST) ? readFileSync(CLIENT_MANIFEST) : '';
  return join(KEPT, createHash('sha256').update(sources).update(manifest).digest('hex'));
}

/** Changes with every file that is written, added or deleted. */
function digestOfSources(): string {
  const digest = createHash('sha256');
  for (const source of SOURCES) {
    const path = join(ROOT, source);
    if (!existsSync(path)) continue;
    const below = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [''];
    for (const name of below.sort()) {
      const { mtimeMs, size } = statSync(join(path, name));
      digest.update(`${source}/${name} ${mtimeMs} ${size}\n`);
    }
  }
  return digest.digest('hex');
}

const recordedFolder = (folder: string) => join(folder, 'recorded');
const bindingsFolder = (folder: string) => join(folder, 'bindings');

/** Reads Miniflare's options from `wrangler.toml`. */
export const workerOptions = (folder: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(folder, OPTIONS), 'utf8'));

/** Returns the modules of the Worker under test, in Miniflare's format. */
export const recordedModules = (folder: string) => modulesOf(recordedFolder(folder), RECORDED);

/** Returns the modules of the Worker that gives access to its bindings. */
export const bindingsModules = (folder: string) => modulesOf(bindingsFolder(folder), BINDINGS);

/** Returns wrangler's output in a folder: the bundle, and files that are modules of other types. */
export function modulesOf(folder: string, bundle: string) {
  const types = { '.js': 'ESModule', '.wasm': 'CompiledWasm', '.bin': 'Data' } as const;
  const rankOf = ({ path, contents }: { path: string; contents: Buffer }) =>
    basename(path) === bundle ? -1 : contents.length;
  const modules = readdirSync(folder)
    .filter((file) => file !== 'README.md' && !file.endsWith('.map'))
    .map((file) => ({
      type: types[extname(file) as keyof typeof types] ?? ('Text' as const),
      path: join(folder, file),
      contents: readFileSync(join(folder, file)),
    }))
    // For each module, Miniflare copies all modules before it, so the small ones come first.
    .sort((a, b) => rankOf(a) - rankOf(b));
  return { rootPath: folder, modulesRoot: folder, modules };
}
