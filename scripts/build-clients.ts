import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { ROOT } from './settings.ts';
import { writeOutput, writeOutputs } from './write-outputs.ts';

/*
 * Builds the browser files before the Worker is bundled, so development, deployments and tests serve the same files.
 * Each file directly in `src/pages/<page>/client/` or `src/dev/client/` gets an address with a content hash. A `.ts` or
 * `.css` file is bundled with its imports.
 */

/** Browsers of about the last four years. All support module workers and WebAssembly. */
const TARGET = ['chrome109', 'firefox115', 'safari16.4'];
const OUTPUT = join(ROOT, '.wrangler', 'client');
const ASSETS = join(OUTPUT, 'assets');
const MANIFEST = join(OUTPUT, 'manifest.json');
const PUBLIC_PATH = '/client';

/**
 * Addresses contain a content hash, so they never go stale. The policy is for the workers among the files; the barcode
 * reader needs WebAssembly.
 */
const HEADERS = `${PUBLIC_PATH}/*
  Cache-Control: public, max-age=31536000, immutable
  X-Content-Type-Options: nosniff
  Cross-Origin-Resource-Policy: same-origin
  Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'
`;

/** Writes the files, and the manifest that is bundled into the Worker. */
export async function buildClients(): Promise<void> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: findEntries(),
    outdir: join(ASSETS, PUBLIC_PATH),
    entryNames: '[name].[hash]',
    assetNames: '[name].[hash]',
    publicPath: PUBLIC_PATH,
    loader: { '.wasm': 'file', '.png': 'copy', '.svg': 'copy', '.webp': 'copy', '.txt': 'copy' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: TARGET,
    minify: true,
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  writeOutputs(join(ASSETS, PUBLIC_PATH), outputFiles);
  writeOutput(join(ASSETS, '_headers'), HEADERS);
  writeOutput(MANIFEST, JSON.stringify(manifestOf(metafile), null, 2));
}

/** Builds them if they never were: unit tests that import a page need the manifest in a fresh clone. */
export async function buildMissingClients(): Promise<void> {
  if (!existsSync(MANIFEST)) await buildClients();
}

/** Returns the paths of the entries by output name: `src/pages/scanner/client/app.ts` is `scanner-app`. */
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

/**
 * Maps an entry (`scanner/app.ts`) to its address, followed by those of the files it loads. Kept short, because each
 * surface has the list.
 */
function manifestOf({ outputs }: Metafile): Record<string, string[]> {
  const addressOf = (output: string) => `/${relative(ASSETS, join(ROOT, output)).split(sep).join('/')}`;
  const made = Object.entries(outputs).flatMap(([output, { entryPoint, imports, inputs }]) => {
    const source = entryPoint ?? (Object.keys(inputs).length === 1 ? Object.keys(inputs)[0] : undefined);
    const name = /^src\/(?:pages\/)?(.+)\/client\/([^/]+)$/.exec(source ?? '');
    const loads = imports.filter(({ kind }) => kind === 'file-loader').map(({ path }) => addressOf(path));
    const entry: [string, string[]] = [`${name?.[1]}/${name?.[2]}`, [addressOf(output), ...loads]];
    return name ? [entry] : [];
  });
  return Object.fromEntries(made.sort(([a], [b]) => (a < b ? -1 : 1)));
}
