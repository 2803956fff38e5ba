import { describe, expect, test, vi } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { configOf } from '../scripts/bound-databases.ts';
import { consumeBatch } from '../src/jobs/queue.ts';
import type { Env } from '../src/platform/env.ts';

const PRODUCTION = unstable_readConfig({ config: 'wrangler.toml' });
const STAGING = unstable_readConfig({ config: 'wrangler.toml', env: 'staging' });

/** Facts about the file itself, not the Worker. */
const OF_THE_FILE = ['configPath', 'userConfigPath', 'topLevelName', 'targetEnvironment', 'definedEnvironments'];

/** Members that name data or counters, which environments may not share. */
const NAMES = ['name', 'database_name', 'bucket_name', 'queue', 'dead_letter_queue', 'namespace_id', 'dataset'];

/** Renames a staging configuration's resources to those of production. */
function asInProduction(config: object): unknown {
  return JSON.parse(
    JSON.stringify(config, (key, value) => {
      if (OF_THE_FILE.includes(key)) return undefined;
      if (key === 'namespace_id') return value.replace(/^2/, '1');
      if (key === 'database_id') return '';
      return typeof value === 'string' && NAMES.includes(key) ? value.replace(/[-_]staging$/, '') : value;
    }),
  );
}

/** Returns the names of resources that a deployment doesn't share, by the path of the member. */
function namesIn(value: unknown, path = ''): [string, string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const isName =
      NAMES.includes(key) && !(key === 'name' && /durable_objects|send_email|ratelimits|unsafe/.test(path));
    return isName && typeof member === 'string'
      ? [[`${path}.${key}`, member] as [string, string]]
      : namesIn(member, `${path}.${key}`);
  });
}

describe('the staging environment', () => {
  test('has the same bindings, limits, variables and cron as production', () => {
    expect(STAGING.queues.consumers).toHaveLength(7);
    expect(asInProduction(STAGING)).toEqual(asInProduction(PRODUCTION));
  });

  test('shares no database, bucket, queue or counter with it', () => {
    const [names, staged] = [namesIn(PRODUCTION), namesIn(STAGING)];
    expect(names.length).toBeGreaterThan(20);
    expect(staged.map(([path]) => path)).toEqual(names.map(([path]) => path));
    const used = new Set(names.map(([, name]) => name));
    expect(staged.filter(([, name]) => used.has(name))).toEqual([]);
  });

  test('has queues whose names start as the code expects', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const took: string[] = [];
    const message = (queue: string) => ({
      id: queue,
      body: null,
      attempts: 1,
      timestamp: new Date(),
      ack: () => took.push(`${queue} ack`),
      retry: () => took.push(`${queue} retry`),
    });
    // An empty message needs the database only in the dead-letter consumer.
    const all = () => Promise.reject(new Error('the database is away'));
    const env = {
      DB: { withSession: () => ({ prepare: () => ({ bind: () => ({ all }) }), batch: all }) },
    } as unknown as Env;
    for (const { queue } of [...PRODUCTION.queues.consumers!, ...STAGING.queues.consumers!]) {
      const of = { retryAll: () => took.push(`${queue} retry all`), ackAll: () => took.push(`${queue} ack all`) };
      const batch = { queue, messages: [message(queue)], ...of } as unknown as Parameters<typeof consumeBatch>[0];
      await consumeBatch(batch, env, { waitUntil: () => {} } as unknown as ExecutionContext);
    }
    vi.restoreAllMocks();
    const fates = (suffix: string) =>
      took.filter((fate) => fate.includes('-staging') === (suffix !== '')).map((fate) => fate.replace('-staging', ''));
    expect(fates('-staging')).toEqual(fates(''));
    expect(fates('')).toHaveLength(7);
  });
});

describe('commands with --remote', () => {
  test('use the environment in CLOUDFLARE_ENV', () => {
    expect(configOf('staging')).toMatchObject({
      name: STAGING.name,
      main: '.wrangler/worker/index.js',
      d1_databases: [{ database_name: 'pass-wallet-staging' }, { database_name: 'pass-wallet-1-staging' }],
    });
    for (const none of [undefined, '']) expect(configOf(none)).toMatchObject({ name: PRODUCTION.name });
    expect(configOf('staging')).not.toHaveProperty('env');
    expect(() => configOf('stagign')).toThrow('wrangler.toml has no environment "stagign"');
  });
});
