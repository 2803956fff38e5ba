import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDevelopmentAuthority } from '../../scripts/development-ca.ts';
import { checkPassFile } from '../../scripts/pass-file-check.ts';
import { Problem } from '../../scripts/settings.ts';
import { pin, processorMillis } from '../processors.ts';
import { type Results, result } from '../results.ts';
import { alternate, medianRate, type Runner, rateRatio } from '../rounds.ts';
import type { BenchOptions } from '../run-options.ts';
import { buildWorker, startWorkers } from '../workers.ts';
import { type StyleSample, styleSamples } from './style-samples.ts';

const IDENTITY = { passTypeId: 'pass.com.example.bench', teamId: 'BENCH00001' };
const WEB_SERVICE_URL = 'https://passes.example.com/wallet/apple';
const KEYS = ['rsa', 'ec'] as const;
type Key = (typeof KEYS)[number];
/** Signatures or passes per request: enough to make the request's own cost small. */
const COUNTS: Record<Key, number> = { rsa: 50, ec: 400 };

/**
 * Measures how fast pass files of each style are built, with a 2048-bit RSA key and a P-256 key, compared with bare RSA
 * signatures in the same runtime and run.
 */
export async function measurePassStyles(options: BenchOptions): Promise<Results> {
  const { folder, processors, say } = options;
  const worker = await buildWorker(join(folder, 'builder'), 'bench/pass-files/worker/index.ts');
  const samples = await styleSamples();
  const signing: Record<string, object> = {};
  const roots = {} as Record<Key, string>;
  for (const keyType of KEYS) {
    const authority = await createDevelopmentAuthority({ ...IDENTITY, organizationName: 'Bench', keyType });
    const { rootPem, ...pems } = authority;
    roots[keyType] = join(folder, `${keyType}-root.pem`);
    writeFileSync(roots[keyType], rootPem);
    signing[keyType] = { ...IDENTITY, webServiceUrl: WEB_SERVICE_URL, ...pems };
  }
  const cards = Object.fromEntries(samples.map(({ name, card }) => [name, card]));
  const variables = { CARDS: JSON.stringify(cards), SIGNING: JSON.stringify(signing) };
  const workers = await startWorkers({ builder: { ...worker, variables } }, join(folder, 'builder-state'));
  try {
    pin(workers.pid, processors?.server);
    for (const { images } of samples) for (const [key, bytes] of images) await workers.files.put(key, bytes);
    const service = { origin: workers.origins.builder, pid: workers.pid };
    for (const key of KEYS) {
      for (const { name } of samples) await verify(service.origin, name, key, roots[key], folder);
    }
    say('Measuring pass files of each style, signed with RSA-2048 and with P-256 …');
    return await compareStyles(samples, service, options);
  } finally {
    await workers.stop();
  }
}

const LIMIT = 'limit';

interface Service {
  origin: string;
  pid: number;
}

/** `floor` is always the rate of bare RSA signatures. */
async function compareStyles(samples: StyleSample[], service: Service, effort: BenchOptions): Promise<Results> {
  const files = KEYS.flatMap((key) => samples.map(({ name }) => ({ key, name, result: `pkpass_${key}_${name}` })));
  const rounds = await alternate(
    {
      [LIMIT]: runner(service, '/sign?', 'rsa'),
      ...Object.fromEntries(files.map(({ key, name, result }) => [result, runner(service, `/?card=${name}`, key)])),
    } as Record<string, Runner>,
    effort,
  );
  const limit = rounds[LIMIT]!;
  const rated = files.map(({ result: name }) => {
    const ratio = rateRatio(rounds[name]!, limit);
    return [name, result(medianRate(rounds[name]!), medianRate(limit), 'passes/s', ratio)];
  });
  return Object.fromEntries(rated);
}

/** Measures processor time if the system reports it, because other programs don't affect it. */
function runner({ origin, pid }: Service, path: string, key: Key): Runner {
  return async (seconds) => {
    const [begin, used] = [performance.now(), processorMillis(pid)];
    let count = 0;
    while (count === 0 || performance.now() - begin < seconds * 1_000) {
      await get(`${origin}${path}&key=${key}&count=${COUNTS[key]}`);
      count += COUNTS[key];
    }
    const millis = used === undefined ? performance.now() - begin : processorMillis(pid)! - used;
    return { rate: (count * 1_000) / millis, latencies: [] };
  };
}

async function get(url: string): Promise<Buffer> {
  const reply = await fetch(url);
  if (!reply.ok) throw new Problem(`The builder in workerd answered ${reply.status}: ${await reply.text()}`);
  return Buffer.from(await reply.arrayBuffer());
}

/** Makes sure that the measured passes are complete and signed. Throws a `Problem` otherwise. */
async function verify(origin: string, name: string, key: Key, rootFile: string, folder: string): Promise<void> {
  const path = join(folder, `${name}-${key}.pkpass`);
  writeFileSync(path, await get(`${origin}/file?card=${name}&key=${key}`));
  for (const { promise, passed, detail } of checkPassFile(path, rootFile)) {
    if (passed === false) throw new Problem(`${name}: the check "${promise}" failed: ${detail}`);
  }
}
