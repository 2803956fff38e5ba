import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiProblem, type CloudflareApi, signIn } from '../../scripts/deploy/cloudflare-api.ts';
import { addressIn, workersDevAddress } from '../../scripts/deploy/deployment.ts';
import { findAddress } from '../../scripts/deploy/find-address.ts';
import { type DeploymentFacts, nextSteps } from '../../scripts/deploy/next-steps.ts';
import { resolveDatabases } from '../../scripts/deploy/resources.ts';
import {
  keptSecrets,
  listSecrets,
  makeSecrets,
  missingSecrets,
  renameEarlierSecrets,
  type SecretsPlace,
} from '../../scripts/deploy/secrets.ts';

/** Returns an API that answers with these values, by path. */
function apiWith(answers: Record<string, unknown>): CloudflareApi {
  const find = async (path: string) => answers[path.replace(/\?.*/, '')] as never;
  return { accountId: 'a', find, list: find, call: (_, path) => find(path) };
}

describe('signIn', () => {
  test('reveals no part of an invalid token, and accepts one with a trailing line break', async () => {
    const say = async (CLOUDFLARE_API_TOKEN: string) => {
      const env = { CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID: 'a', CLOUDFLARE_API_BASE_URL: 'http://localhost:1' };
      const asked = signIn(undefined, env).then((api) => api.call('GET', '/queues'));
      return asked.catch((error: Error) => error.message);
    };
    for (const token of ['secret\ntoken', 'secret\0', 'secret token'])
      expect(await say(token)).toBe('CLOUDFLARE_API_TOKEN has characters that no token contains.');
    expect(await say('secret\n')).toMatch(/^Cloudflare’s API did not answer GET \/queues: (?!.*secret)/);
  });
});

describe('missingSecrets', () => {
  test('names required secrets, and needs no second key next to an older one', () => {
    expect(missingSecrets(new Set())).toEqual(['ENCRYPTION_KEYS', 'SETUP_TOKEN']);
    expect(missingSecrets(new Set(['ENCRYPTION_KEY', 'TWILIO_AUTH_TOKEN']))).toEqual(['SETUP_TOKEN']);
    expect(missingSecrets(new Set(['ENCRYPTION_KEYS', 'SETUP_TOKEN']))).toEqual([]);
  });

  test('treats a Worker that was never deployed as one without secrets', async () => {
    expect(await listSecrets(apiWith({}), 'service')).toEqual(new Set());
  });
});

describe('makeSecrets', () => {
  const inFolder = (): SecretsPlace => {
    const parent = mkdtempSync(join(tmpdir(), 'secrets-'));
    onTestFinished(() => rmSync(parent, { recursive: true }));
    return { folder: join(parent, 'deployment'), worker: 'service', accountId: 'a' };
  };

  test('reuses values left by an earlier run, and makes missing ones', () => {
    const place = inFolder();
    const first = makeSecrets(place, ['ENCRYPTION_KEYS'])!;
    const second = makeSecrets(place, ['ENCRYPTION_KEYS', 'SETUP_TOKEN'])!;
    expect(second.values.ENCRYPTION_KEYS).toBe(first.values.ENCRYPTION_KEYS);
    // Secrets that the Worker already has stay in the file, and aren't sent again.
    const third = makeSecrets(place, ['SETUP_TOKEN'])!;
    expect(third.values).toEqual({ SETUP_TOKEN: second.values.SETUP_TOKEN });
    expect(JSON.parse(readFileSync(third.file, 'utf8'))).toEqual(second.values);
    expect(makeSecrets({ ...place, worker: 'other' }, [])).toBeUndefined();
  });

  test('shares no values between Workers with the same name in two accounts', () => {
    const place = inFolder();
    const made = makeSecrets(place, ['ENCRYPTION_KEYS'])!;
    const other = { ...place, accountId: 'b' };
    expect(keptSecrets(other)).toBeUndefined();
    const madeThere = makeSecrets(other, ['ENCRYPTION_KEYS'])!;
    expect(madeThere.values.ENCRYPTION_KEYS).not.toBe(made.values.ENCRYPTION_KEYS);
    expect([keptSecrets(place), keptSecrets(other)]).toEqual([made, madeThere]);
  });

  test.each([
    ['of the last deployment', { account_id: 'a' }, 'a'],
    ['of this deployment if there was none', undefined, 'b'],
  ])('finds the file of an earlier release in the account %s', (_, config, owner) => {
    const place = inFolder();
    mkdirSync(place.folder);
    const [earlier, configFile] = ['service.secrets.json', 'service.json'].map((name) => join(place.folder, name));
    writeFileSync(earlier!, JSON.stringify({ SETUP_TOKEN: 'kept' }));
    if (config) writeFileSync(configFile!, JSON.stringify(config));
    renameEarlierSecrets({ ...place, accountId: 'b' }, configFile!);
    const found = ['a', 'b'].filter((accountId) => keptSecrets({ ...place, accountId }));
    expect([found, existsSync(earlier!)]).toEqual([[owner], false]);
    expect(makeSecrets({ ...place, accountId: owner }, ['SETUP_TOKEN'])!.values).toEqual({ SETUP_TOKEN: 'kept' });
  });
});

describe('resolveDatabases', () => {
  const listed = [
    { uuid: 'later', name: 'pass-wallet-1' },
    { uuid: 'found', name: 'pass-wallet' },
  ];
  const database = { binding: 'DB', database_name: 'pass-wallet' };

  test('finds a database by its full name', async () => {
    const ids = await resolveDatabases(apiWith({ '/d1/database': listed }), { d1_databases: [database] });
    expect([...ids]).toEqual([['DB', 'found']]);
  });

  test('uses an identifier in wrangler.toml, unless it is zero', async () => {
    const idOf = async (database_id: string) =>
      (
        await resolveDatabases(apiWith({ '/d1/database': listed }), { d1_databases: [{ ...database, database_id }] })
      ).get('DB');
    expect(await idOf('5f0e8a52-3c5b-4b0e-9d5c-5d8a4f1f0a11')).toBe('5f0e8a52-3c5b-4b0e-9d5c-5d8a4f1f0a11');
    expect(await idOf('00000000-0000-0000-0000-000000000001')).toBe('found');
  });

  test('creates none unless requested', async () => {
    const ids = await resolveDatabases(apiWith({ '/d1/database': [] }), { d1_databases: [database] });
    expect(ids.size).toBe(0);
  });
});

describe('the address', () => {
  test.each([
    [['https://service.example.workers.dev', 'schedule: * * * * *'], 'https://service.example.workers.dev'],
    [['passes.example.com (custom domain)', 'Producer for jobs'], 'https://passes.example.com'],
    [['example.com/passes/* (zone name: example.com)'], undefined],
    [undefined, undefined],
  ])('in the targets %j is %s', (targets, address) => {
    expect(addressIn(targets)).toBe(address);
  });

  test('of a Worker without a domain uses its account’s subdomain', async () => {
    const deployment = (answers: object) => ({ api: apiWith({ ...answers }), worker: 'service' }) as never;
    expect(await workersDevAddress(deployment({ '/workers/subdomain': { subdomain: 'example' } }))).toBe(
      'https://service.example.workers.dev',
    );
    expect(await workersDevAddress(deployment({}))).toBeUndefined();
  });
});

describe('the address of a deployed service', () => {
  const SETTINGS = '/workers/scripts/service/settings';
  const STORED = '/d1/database/first/query';
  const none = { [STORED]: [{ results: [] }], '/workers/subdomain': { subdomain: 'example' } };
  const stored = { ...none, [STORED]: [{ results: [{ base_url: 'https://stored.example' }] }] };
  const base = { bindings: [{ name: 'BASE_URL', type: 'plain_text', text: 'https://base.example/' }] };
  const domain = { routes: [{ pattern: 'own.example', custom_domain: true }] };

  test.each<[string, object, object, string | undefined]>([
    ['BASE_URL', { ...stored, [SETTINGS]: base }, domain, 'https://base.example'],
    ['the one in its settings', stored, domain, 'https://stored.example'],
    ['its custom domain', none, domain, 'https://own.example'],
    ['the one at workers.dev', none, {}, 'https://service.example.workers.dev'],
    ['unknown if workers.dev is off', none, { workers_dev: false }, undefined],
    ['unknown if it has only routes', none, { routes: ['example.com/passes/*'] }, undefined],
  ])('is %s', async (_, answers, config, address) => {
    const deployment = { api: apiWith({ ...answers }), worker: 'service', config } as never;
    expect(await findAddress(deployment, 'first')).toBe(address);
  });

  test('is found although the database has no table of settings yet', async () => {
    const api = apiWith(none);
    const call = async () => Promise.reject(new ApiProblem('a query', 400, [{ code: 7500, message: 'no such table' }]));
    const deployment = { api: { ...api, call }, worker: 'service', config: domain } as never;
    expect(await findAddress(deployment, 'first')).toBe('https://own.example');
  });
});

describe('the next steps', () => {
  const DONE: DeploymentFacts = {
    address: 'https://passes.example',
    worker: 'service',
    made: undefined,
    missing: [],
    settings: new Set(['MAIL_FROM']),
    canBeSetUp: false,
    hasCertificate: true,
    hasGoogleIssuer: true,
  };

  test('are empty for a complete service', () => {
    expect(nextSteps(DONE)).toEqual([]);
  });

  test('include the missing secrets on a build server, which makes none', () => {
    expect(nextSteps({ ...DONE, missing: ['ENCRYPTION_KEYS', 'SETUP_TOKEN'], canBeSetUp: true })).toEqual([
      expect.stringMatching(/^Set ENCRYPTION_KEYS and SETUP_TOKEN .* of the Worker service\./),
      'Create the first account: open https://passes.example/setup and enter the SETUP_TOKEN of this deployment.',
    ]);
  });

  test('show a new token, and no encryption key', () => {
    const made = { file: '/x.json', values: { ENCRYPTION_KEYS: '1:a-key', SETUP_TOKEN: 'a-token' } };
    const steps = nextSteps({ ...DONE, made, canBeSetUp: true }).join('\n');
    expect(steps).toContain('enter the setup token a-token');
    expect(steps).not.toContain('a-key');
  });
});
