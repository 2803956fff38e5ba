import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { build, type Metafile, type OutputFile } from 'esbuild';
import { ROOT } from './settings.ts';

/*
 * Builds the browsers' files before wrangler bundles the Worker ([build] in wrangler.toml), so `wrangler dev`,
 * deployments and tests serve the same. Each file directly in `src/pages/<page>/client/`, or in `src/dev/client/`, gets
 * an address that changes with its content; a `.ts` or `.css` is bundled with its imports.
 */

/** The browsers of the last four years or so; all of them have module workers and WebAssembly. */
const TARGET = ['chrome109', 'firefox115', 'safari16.4'];
const OUTPUT = join(ROOT, '.wrangler', 'client');
const ASSETS = join(OUTPUT, 'assets');
const MANIFEST = join(OUTPUT, 'manifest.json');
const PUBLIC_PATH = '/client';

/**
 * An address holds the hash of its content, so it never goes stale. The policy is that of the workers among them; the
 * reader needs WebAssembly.
 */
const HEADERS = `${PUBLIC_PATH}/*
  Cache-Control: public, max-age=31536000, immutable
  X-Content-Type-Options: nosniff
  Cross-Origin-Resource-Policy: same-origin
  Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'
`;

const { outputFiles, metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: findEntries(),
  outdir: join(ASSETS, PUBLIC_PATH),
  entryNames: '[name].[hash]',
  assetNames: '[name].[hash]',
  publicPath: PUBLIC_PATH,
  loader: { '.wasm': 'file', '.png': 'copy', '.svg': 'copy', '.txt': 'copy' },
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: TARGET,
  minify: true,
  metafile: true,
  write: false,
  logLevel: 'warning',
});
const manifest = manifestOf(metafile);
keep(outputFiles);
write(join(ASSETS, '_headers'), HEADERS);
write(MANIFEST, JSON.stringify(manifest, null, 2));

/** Paths of the entries by the name they get: `src/pages/scanner/client/app.ts` is `scanner-app`. */
function findEntries(): { in: string; out: string }[] {
  const src = join(ROOT, 'src');
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && basename(entry.parentPath) === 'client' && !/\.json$|\.d\.ts$/.test(entry.name),
    )
    .map(({ parentPath, name }) => {
      const page = relative(src, dirname(parentPath))
        .split(sep)
        .join('-')
        .replace(/^pages-/, '');
      return { in: join(parentPath, name), out: `${page}-${basename(name, extname(name))}` };
    });
}

/** Entry (`scanner/app.ts`) to its address, and the addresses of files that it loads while it runs. */
function manifestOf({ outputs }: Metafile): Record<string, { path: string; loads: string[] }> {
  const addressOf = (output: string) => `/${relative(ASSETS, join(ROOT, output)).split(sep).join('/')}`;
  const made = Object.entries(outputs).flatMap(([output, { entryPoint, imports, inputs }]) => {
    const source = entryPoint ?? (Object.keys(inputs).length === 1 ? Object.keys(inputs)[0] : undefined);
    const name = /^src\/(?:pages\/)?(.+)\/client\/([^/]+)$/.exec(source ?? '');
    const loads = imports.filter(({ kind }) => kind === 'file-loader').map(({ path }) => addressOf(path));
    return name ? [[`${name[1]}/${name[2]}`, { path: addressOf(output), loads }] as const] : [];
  });
  return Object.fromEntries(made.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Writes what is new and removes what is no longer made; what stands already is left alone, so that nobody who watches
 * or serves it is disturbed.
 */
function keep(files: OutputFile[]): void {
  const folder = join(ASSETS, PUBLIC_PATH);
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of files) write(path, contents);
  const wanted = new Set(files.map(({ path }) => basename(path)));
  for (const name of readdirSync(folder)) if (!wanted.has(name)) rmSync(join(folder, name));
}

/** Two starts of the service may build at the same time, so a file appears whole or not at all. */
function write(path: string, contents: string | Uint8Array): void {
  const wanted = Buffer.from(contents);
  try {
    if (readFileSync(path).equals(wanted)) return;
  } catch {
    // Not there yet.
  }
  const draft = join(OUTPUT, `${process.pid}.draft`);
  writeFileSync(draft, wanted);
  renameSync(draft, path);
}
