import { dirname, join, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { asBundled, CHANGED_FILES } from './as-bundled.ts';
import { isLeftOut, STAND_IN } from './left-out.ts';
import { ROOT } from './settings.ts';
import { writeOutputs } from './write-outputs.ts';

const leaveOut: Plugin = {
  name: 'leave-out',
  resolveId: (name, importer) => (importer !== undefined && isLeftOut(name, importer) ? STAND_IN : undefined),
};

const DEV = join(ROOT, 'src', 'dev') + sep;

/** A deployment has the files of `src/dev/deployed/` instead of those of the same name in `src/dev/`. */
const leaveOutDev: Plugin = {
  name: 'leave-out-dev',
  resolveId(name, importer = '') {
    const path = name.startsWith('.') ? join(dirname(importer), name) : '';
    return path.startsWith(DEV) && !importer.startsWith(DEV)
      ? join(DEV, 'deployed', path.slice(DEV.length))
      : undefined;
  },
};

const changed: Plugin = {
  name: 'changed-libraries',
  transform: {
    filter: { id: CHANGED_FILES },
    handler: (code, path) => ({ code: asBundled(path, code), map: null }),
  },
};

/**
 * Bundles a Worker into `folder`: `index.js` is the entry, and `import()` targets become separate modules. `isLocal`
 * keeps the parts that only a local service has. Wrangler would bundle one file. esbuild splits into more modules than
 * Rolldown, and keeps more of zod in them.
 */
export async function buildWorker(entry: string, folder: string, { isLocal = false } = {}): Promise<void> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: { index: entry },
    external: /^(node|cloudflare):/,
    plugins: [leaveOut, changed, ...(isLocal ? [] : [leaveOutDev])],
    // Exports missing from the stand-in become undefined. Any other missing export is an error.
    shimMissingExports: true,
    tsconfig: join(ROOT, 'tsconfig.json'),
    platform: 'browser',
    resolve: { conditionNames: ['workerd', 'worker', 'browser'] },
    transform: { target: 'es2024', define: { 'process.env.NODE_ENV': '"production"' } },
    onLog(level, log, report) {
      if (log.code !== 'SHIMMED_EXPORT') report(level, log);
      else if (log.exporter !== STAND_IN) report('error', log);
    },
  });
  const { output } = await bundle.generate({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // Numbers follow. Hundreds of imports name each other's modules, and hashes hardly compress.
    chunkFileNames: 'm.js',
    // What the start always loads would otherwise be split by what also uses it.
    codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] },
    // Halves the script to load. Errors in the log still show source lines.
    minify: true,
    comments: false,
    sourcemap: true,
  });
  await bundle.close();
  const files = output.map((file) => ({
    path: join(folder, file.fileName),
    contents: file.type === 'chunk' ? file.code : file.source,
  }));
  // The entry names the other modules, so it is written last.
  writeOutputs(
    folder,
    files.toSorted((a, b) => rank(a.path) - rank(b.path)),
  );
}

const rank = (path: string) => Number(path.endsWith(join('/', 'index.js')));
