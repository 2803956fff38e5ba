import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { isInstalled } from '../../scripts/bootstrap.mjs';
import { createDevelopmentAuthority, type DevelopmentAuthority } from '../../scripts/development-ca.ts';
import { checkPassFile } from '../../scripts/pass-file-check.ts';
import { readZip } from '../../scripts/read-zip.ts';
import { Problem, ROOT } from '../../scripts/settings.ts';
import { pin } from '../processors.ts';
import { type Results, result } from '../results.ts';
import { alternate, medianRate, rateRatio } from '../rounds.ts';
import type { BenchOptions } from '../run-options.ts';
import { buildWorker, startWorkers } from '../workers.ts';
import { type Builder, nodeBuilder, workerBuilder } from './builder.ts';
import { type Sample, type SampleSize, samplePass } from './sample.ts';

const BENCH = join(ROOT, 'bench');
const IDENTITY = { passTypeId: 'pass.com.example.bench', teamId: 'BENCH00001' };
const WEB_SERVICE_URL = 'https://passes.example.com/wallet/apple';

type BuilderName = 'workerd' | 'node' | 'passkit_generator' | 'pass_js';

/** Measures how fast pass files are built, compared with two Node libraries that build the same ones. */
export async function measurePassFiles(options: BenchOptions): Promise<Results> {
  installPeers();
  const { folder, processors } = options;
  const worker = await buildWorker(join(folder, 'builder'), 'bench/pass-files/worker/index.ts');
  const authority = await createDevelopmentAuthority({ ...IDENTITY, organizationName: 'Bench' });
  const { rootPem, ...pems } = authority;
  const SIGNING = JSON.stringify({ ...IDENTITY, webServiceUrl: WEB_SERVICE_URL, ...pems });
  const samples = { full: samplePass('full'), lite: samplePass('lite') };
  const variables = ({ card }: Sample) => ({ CARDS: JSON.stringify({ pass: card }), SIGNING: `{"rsa":${SIGNING}}` });
  const workers = await startWorkers(
    {
      full: { ...worker, variables: variables(samples.full) },
      lite: { ...worker, variables: variables(samples.lite) },
    },
    join(folder, 'builder-state'),
  );
  try {
    pin(workers.pid, processors?.server);
    const results: Results = {};
    for (const size of ['full', 'lite'] as const) {
      for (const [key, bytes] of samples[size].images) await workers.files.put(key, bytes);
      const sampleFolder = join(folder, size);
      const ours = workerBuilder(workers.origins[size]);
      writeSample(sampleFolder, samples[size], SIGNING, authority, await ours.file());
      Object.assign(results, await compareBuilders(size, sampleFolder, ours, options));
    }
    return results;
  } finally {
    await workers.stop();
  }
}

/** The peers have their own lock file, because the product must not depend on them. */
function installPeers(): void {
  if (isInstalled(BENCH)) return;
  const parameters = ['ci', '--prefix', BENCH, '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', parameters, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (status !== 0) throw new Problem('The libraries to compare with could not be installed; see npm’s output above.');
}

/**
 * Writes the input of the Node builders: the sample, one pass file, and its contents without manifest and signature.
 */
function writeSample(
  folder: string,
  { card, images }: Sample,
  signing: string,
  authority: DevelopmentAuthority,
  file: Buffer,
): void {
  const write = (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  const encoded = [...images].map(([key, bytes]) => [key, bytes.toString('base64')]);
  write('sample.json', JSON.stringify({ card, signing: JSON.parse(signing), images: Object.fromEntries(encoded) }));
  write('root.pem', authority.rootPem);
  write('intermediate.pem', authority.intermediatePem);
  write('certificate.pem', authority.certificatePem);
  write('private-key.pem', authority.privateKeyPem);
  write('sample.pkpass', file);
  for (const [name, content] of readZip(file)) {
    if (name !== 'manifest.json' && name !== 'signature') write(join('files', name), content);
  }
}

async function compareBuilders(
  size: SampleSize,
  folder: string,
  workerd: Builder,
  { processors, say, ...effort }: BenchOptions,
): Promise<Results> {
  say(`Measuring pass files, ${size} …`);
  const inNode = (script: string) => nodeBuilder(script, folder, processors?.server);
  const builders: Record<BuilderName, Builder> = {
    workerd,
    node: inNode(await bundledForNode(join(import.meta.dirname, 'own-builder.ts'), folder)),
    passkit_generator: inNode(join(BENCH, 'peers/passkit-generator.mjs')),
    pass_js: inNode(join(BENCH, 'peers/pass-js.mjs')),
  };
  try {
    for (const [name, builder] of Object.entries(builders)) verify(name, await builder.file(), folder, say);
    const rounds = await alternate(
      Object.fromEntries(Object.entries(builders).map(([name, { run }]) => [name, run])) as Record<
        BuilderName,
        Builder['run']
      >,
      effort,
    );
    const results: Results = {};
    const compare = (name: string, ours: BuilderName, peer: BuilderName) => {
      const ratio = rateRatio(rounds[ours], rounds[peer]);
      results[`pkpass_${size}${name}`] = result(medianRate(rounds[ours]), medianRate(rounds[peer]), 'passes/s', ratio);
    };
    compare('_vs_passkit_generator', 'workerd', 'passkit_generator');
    compare('_vs_pass_js', 'workerd', 'pass_js');
    compare('_node_vs_passkit_generator', 'node', 'passkit_generator');
    compare('_node_vs_pass_js', 'node', 'pass_js');
    const bytes = (name: BuilderName) => rounds[name][0]?.bytes ?? Number.NaN;
    for (const peer of ['passkit_generator', 'pass_js'] as const) {
      results[`pkpass_${size}_bytes_vs_${peer}`] = result(bytes('workerd'), bytes(peer), 'bytes');
    }
    return results;
  } finally {
    for (const builder of Object.values(builders)) builder.stop();
  }
}

/**
 * Makes sure that nobody wins with a broken file: the archive is valid, has the sample's contents, and its signature
 * verifies. Throws a `Problem` otherwise.
 */
function verify(name: string, file: Buffer, folder: string, say: (text: string) => void): void {
  const path = join(folder, `${name}.pkpass`);
  writeFileSync(path, file);
  const names = (archive: Buffer) => [...readZip(archive).keys()].sort().join(' ');
  const expected = names(readFileSync(join(folder, 'sample.pkpass')));
  if (names(file) !== expected) throw new Problem(`${name} packs ${names(file)}, not ${expected}`);
  const { error, status, stdout } = spawnSync('unzip', ['-tq', path], { encoding: 'utf8' });
  if (error) say('unzip was not found on this machine, so the archives are not checked with it.');
  else if (status !== 0) throw new Problem(`${name} builds a broken archive: ${stdout}`);
  for (const { promise, passed, detail } of checkPassFile(path, join(folder, 'root.pem'))) {
    if (passed === false)
      throw new Problem(`${name} builds a pass file for which it is not true that ${promise}: ${detail}`);
    if (passed === undefined) say(`${promise}: ${detail}`);
  }
}

/** Bundles a script, because Node doesn't import JSON like bundlers do. Returns the bundle's path. */
async function bundledForNode(script: string, folder: string): Promise<string> {
  const outfile = join(folder, 'own-builder.mjs');
  await build({ entryPoints: [script], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' });
  return outfile;
}
