import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { Problem, ROOT, runMain } from '../settings.ts';

/*
 * npm run client: builds the package in client/, one module and its type declarations. `npm pack` in client/ runs it,
 * too. An optional argument replaces the output folder client/dist.
 */

const CLIENT = join(ROOT, 'client');

await runMain(async () => {
  const folder = process.argv[2] ?? join(CLIENT, 'dist');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    absWorkingDir: CLIENT,
    entryPoints: ['src/index.ts'],
    outfile: join(folder, 'index.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'warning',
  });
  writeDeclarations(folder);
});

function writeDeclarations(folder: string): void {
  const parameters = ['-p', CLIENT, '--noEmit', 'false', '--incremental', 'false', '--tsBuildInfoFile', 'null'];
  const outputs = ['--declaration', '--emitDeclarationOnly', '--rootDir', join(CLIENT, 'src'), '--outDir', folder];
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const { status, stdout } = spawnSync(tsc, [...parameters, ...outputs], { encoding: 'utf8' });
  if (status !== 0) throw new Problem(`The declarations can't be made:\n${stdout}`);
}
