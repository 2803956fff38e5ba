import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { isLeftOut, STAND_IN } from './left-out.ts';
import { ROOT } from './settings.ts';
import { writeOutputs } from './write-outputs.ts';

/** Missing exports of the stand-in are undefined, as they are of any CommonJS module. */
const leaveOut: Plugin = {
  name: 'leave-out',
  setup(bundle) {
    bundle.onResolve({ filter: /./ }, ({ path, importer }) =>
      isLeftOut(path, importer) ? { path: STAND_IN, namespace: 'left-out' } : undefined,
    );
    bundle.onLoad({ filter: /./, namespace: 'left-out' }, () => ({
      contents: `module.exports = require(${JSON.stringify(STAND_IN)});`,
      resolveDir: ROOT,
    }));
  },
};

/**
 * Bundles a Worker into `folder`: its start is `index.js`, and what `import()` loads is in modules of its own. Wrangler
 * would put everything into one, with a function around each module, which takes a twentieth more.
 */
export async function buildWorker(entry: string, folder: string): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: { index: entry },
    outdir: folder,
    chunkNames: '[hash]',
    splitting: true,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    define: { 'process.env.NODE_ENV': '"production"' },
    external: ['node:*', 'cloudflare:*'],
    plugins: [leaveOut],
    // Half the script to load. Errors in the log name lines of the sources all the same.
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    sourcemap: true,
    write: false,
    logLevel: 'warning',
  });
  // The start names the other modules, so it comes last.
  writeOutputs(
    folder,
    outputFiles.toSorted((a, b) => rank(a.path) - rank(b.path)),
  );
}

const rank = (path: string) => Number(path.endsWith(join('/', 'index.js')));
