import { describe, expect, test } from 'vitest';
import { DEMO_KEYS, type DemoKey } from '../../scripts/demo/templates.ts';
import { type DemoSeed, type SeedTools, seedDemo } from '../../scripts/seed.ts';

const KEYS = DEMO_KEYS;
const DAY_MS = 24 * 60 * 60_000;

/** A service that remembers what was created in it. The seeding can be interrupted before any save. */
class FakeService {
  accounts: string[] = [];
  keys = new Map<string, boolean>();
  made: string[] = [];
  /** Deleted templates. */
  deleted = new Set<string>();
  /** Unchanged templates of an earlier release. */
  outdated = new Set<string>();
  replaced: string[] = [];
  offered = KEYS;
  seed: DemoSeed | undefined;
  savesLeft = Number.POSITIVE_INFINITY;
  certificateDays = 365;
  #replies = new Map<string, string>();

  run(): Promise<unknown> {
    return seedDemo(this.seed && structuredClone(this.seed), this.#tools());
  }

  #make(what: string): string {
    this.made.push(what);
    return `${what} ${this.made.length}`;
  }

  #newKey() {
    const apiKeyId = this.#make('api key');
    this.keys.set(apiKeyId, true);
    return { apiKeyId, apiKey: `value of ${apiKeyId}` };
  }

  #admin(command: string): unknown {
    switch (command) {
      case 'account list':
        return this.accounts.map((accountId) => ({ accountId }));
      case 'account create':
        this.accounts.push(this.#make('account'));
        return { accountId: this.accounts.at(-1), ...this.#newKey() };
      case 'api-key list':
        return [...this.keys].map(([apiKeyId, active]) => ({ apiKeyId, active }));
      case 'api-key create':
        return this.#newKey();
      case 'certificate import':
        this.#make('certificate');
        return { validTo: new Date(Date.now() + this.certificateDays * DAY_MS).toISOString() };
      case 'google-issuer import':
        return { googleIssuerId: this.#make('issuer') };
      default:
        return { userId: this.#make(command) };
    }
  }

  #tools(): SeedTools {
    return {
      admin: async <T>(command: string) => this.#admin(command) as T,
      create: async (_apiKey, path, body, idempotencyKey) => {
        const known = this.#replies.get(idempotencyKey);
        if (known) return known;
        const identifier = this.#make((body as { key?: string }).key ?? path);
        this.#replies.set(idempotencyKey, identifier);
        return identifier;
      },
      listTemplates: async () => [...this.#replies.values()].filter((identifier) => !this.deleted.has(identifier)),
      isOutdated: async (_apiKey, key, identifier) => {
        expect(this.seed?.templates[key]).toBe(identifier);
        return this.outdated.has(identifier);
      },
      replaceTemplate: async (_apiKey, identifier) => {
        this.outdated.delete(identifier);
        this.replaced.push(identifier);
      },
      createScanner: async () => this.#make('scanner'),
      makeAuthority: async () => ({ rootPem: '', intermediatePem: '', certificatePem: '', privateKeyPem: '' }),
      keepAuthority: () => {},
      makeIssuerKey: () => '',
      demoTemplates: async () => this.offered.map((key) => ({ key, definition: { key } })),
      save: (seed) => {
        if (this.savesLeft-- <= 0) throw new Error('interrupted');
        this.seed = structuredClone(seed);
      },
    };
  }
}

describe('seedDemo', () => {
  test('creates an account with key, user, certificate, issuer, project, a template for each key and a scanner', async () => {
    const service = new FakeService();
    const facts = await service.run();
    expect(facts).toEqual(service.seed);
    expect(Object.keys(service.seed?.templates ?? {})).toEqual(KEYS);
    expect(service.made).toEqual([
      ...['account', 'api key', 'user invite', 'user operator', 'certificate', 'issuer', '/api/v3/project'],
      ...KEYS,
      'scanner',
    ]);
  });

  test('creates nothing the second time', async () => {
    const service = new FakeService();
    const first = await service.run();
    const made = service.made.length;
    expect(await service.run()).toEqual(first);
    expect(service.made).toHaveLength(made);
  });

  test('continues where it was interrupted, and never creates a project or template twice', async () => {
    const whole = new FakeService();
    await whole.run();
    for (let saves = 0; saves < whole.made.length - 1; saves++) {
      const service = new FakeService();
      service.savesLeft = saves;
      await expect(service.run(), `after ${saves} saves`).rejects.toThrow('interrupted');
      service.savesLeft = Number.POSITIVE_INFINITY;
      await service.run();
      expect(Object.keys(service.seed?.templates ?? {}).sort()).toEqual([...KEYS].sort());
      const createdByApi = service.made.filter((what) => what === '/api/v3/project' || KEYS.includes(what as DemoKey));
      expect(createdByApi.sort(), `after ${saves} saves`).toEqual(['/api/v3/project', ...KEYS].sort());
    }
  });

  test.each(['deleted', 'deactivated'])('replaces a key that was %s and keeps the rest', async (how) => {
    const service = new FakeService();
    await service.run();
    const { apiKeyId, accountId, templates } = service.seed!;
    if (how === 'deleted') service.keys.delete(apiKeyId!);
    else service.keys.set(apiKeyId!, false);
    await service.run();
    expect(service.seed?.apiKeyId).not.toBe(apiKeyId);
    expect(service.keys.get(service.seed?.apiKeyId ?? '')).toBe(true);
    expect(service.seed).toMatchObject({ accountId, templates });
  });

  test('recreates a deleted template, each time', async () => {
    const service = new FakeService();
    for (let time = 0; time < 3; time++) {
      await service.run();
      const { coupon, ...others } = service.seed!.templates;
      expect(service.deleted).not.toContain(coupon);
      service.deleted.add(coupon!);
      await service.run();
      expect(service.seed!.templates).toEqual({ ...others, coupon: expect.not.stringMatching(`^${coupon}$`) });
    }
  });

  test('adds missing templates to an earlier release’s state, and updates unchanged ones', async () => {
    const service = new FakeService();
    service.offered = KEYS.filter((key) => key !== 'seasonTicket' && key !== 'transitTicket');
    await service.run();
    const { edition: _, ...earlier } = service.seed!;
    const { boardingPass, generic, coupon } = earlier.templates;
    service.seed = earlier;
    service.offered = KEYS;
    service.outdated = new Set([boardingPass!, generic!]);
    service.made = [];
    await service.run();
    expect(service.made).toEqual(['seasonTicket', 'transitTicket']);
    expect(service.seed?.templates).toMatchObject(earlier.templates);
    expect(service.replaced).toEqual([boardingPass, generic]);
    service.outdated.add(coupon!);
    await service.run();
    expect(service.replaced).toHaveLength(2);
  });

  test('starts over if the database was emptied', async () => {
    const service = new FakeService();
    await service.run();
    const { accountId } = service.seed ?? {};
    service.accounts = [];
    await service.run();
    expect(service.seed?.accountId).not.toBe(accountId);
    expect(service.accounts).toEqual([service.seed?.accountId]);
  });

  test('renews a development certificate that is about to expire', async () => {
    const service = new FakeService();
    service.certificateDays = 6;
    await service.run();
    service.certificateDays = 365;
    await service.run();
    await service.run();
    expect(service.made.filter((what) => what === 'certificate')).toHaveLength(2);
  });
});
