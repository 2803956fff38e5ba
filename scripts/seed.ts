import { createHash } from 'node:crypto';
import type { DemoKey } from './demo/templates.ts';
import type { DevelopmentAuthority } from './development-ca.ts';

/**
 * What a first start makes, kept in `STATE_DIR/demo-seed.json` after each step, so that a start that was interrupted
 * goes on.
 */
export interface DemoSeed {
  accountId?: string;
  apiKeyId?: string;
  apiKey?: string;
  userEmail?: string;
  /** Whether the user is an operator of the service. */
  isOperator?: boolean;
  /** ISO 8601 end of the development certificate. */
  certificateValidTo?: string;
  googleIssuerId?: string;
  projectId?: string;
  templates: Partial<Record<DemoKey, string>>;
  /** `EDITION` of the definitions that its templates were compared with. */
  edition?: number;
  /** Path of the link to the demo's scanner app. */
  gatePath?: string;
}

/** A seed that is complete. */
export type DemoFacts = Required<Omit<DemoSeed, 'templates'>> & { templates: Record<DemoKey, string> };

/** What seeding needs from outside. */
export interface SeedTools {
  /** Runs a command of the administration entry. */
  admin<T>(command: string, options?: Record<string, unknown>): Promise<T>;
  /** Posts to the public API and returns the identifier of what it made. */
  create(apiKey: string, path: string, body: object, idempotencyKey: string): Promise<string>;
  /** Identifiers of the account's templates. */
  listTemplates(apiKey: string): Promise<string[]>;
  /** Whether a template still says what an earlier release made it say. */
  isOutdated(apiKey: string, key: DemoKey, identifier: string): Promise<boolean>;
  /** Gives a template another definition, for its existing passes, too. */
  replaceTemplate(apiKey: string, identifier: string, definition: object): Promise<void>;
  /** Makes an app configuration with a link, and returns the link's path. */
  createScanner(apiKey: string): Promise<string>;
  makeAuthority(options: {
    passTypeId: string;
    teamId: string;
    organizationName: string;
  }): Promise<DevelopmentAuthority>;
  keepAuthority(authority: DevelopmentAuthority): void;
  /**
   * A new RSA private key of the Google issuer as PKCS#8 PEM; its public half is kept for those who check save links.
   */
  makeIssuerKey(): string;
  demoTemplates(): Promise<{ key: DemoKey; definition: object }[]>;
  save(seed: DemoSeed): void;
}

/** Of the definitions; a higher one when some of them change for templates that exist (`demo/outdated.ts`). */
const EDITION = 2;
const ACCOUNT_NAME = 'Demo';
/** The demo's account does not live in the directory, so that whatever is built on it works with several databases. */
const HOME = 'DB_1';
const USER_EMAIL = 'demo@example.com';
const AUTHORITY = {
  passTypeId: 'pass.com.example.development',
  teamId: 'DEVTEAM000',
  organizationName: 'Pass Wallet Development',
};
const GOOGLE_ISSUER = {
  issuerId: '3388000000000000001',
  clientEmail: 'development@pass-wallet.iam.gserviceaccount.com',
};
/** A development certificate is renewed when it ends sooner than this. */
const RENEWAL_DAYS = 7;
const DAY_MS = 24 * 60 * 60_000;

/** Makes what is still missing of the demo and returns all of it. Each step is saved before the next begins. */
export async function seedDemo(known: DemoSeed | undefined, tools: SeedTools): Promise<DemoFacts> {
  const seed: DemoSeed = known && (await hasAccount(known, tools)) ? { ...known } : { templates: {} };
  const save = (facts: Partial<DemoSeed>) => tools.save(Object.assign(seed, facts));
  await seedAccount(seed, tools, save);
  await seedSigning(seed, tools, save);
  const apiKey = seed.apiKey!;
  const create = (path: string, body: object) => tools.create(apiKey, path, body, idempotencyKey(path, body));
  if (!seed.projectId) save({ projectId: await create('/api/v3/project', { name: 'Demo' }) });
  await seedTemplates(seed, tools, save);
  if (!seed.gatePath) save({ gatePath: await tools.createScanner(apiKey) });
  return seed as DemoFacts;
}

type Save = (facts: Partial<DemoSeed>) => void;

/** Makes missing templates side by side, and renews those of an earlier release that nobody has changed. */
async function seedTemplates(seed: DemoSeed, tools: SeedTools, save: Save): Promise<void> {
  const apiKey = seed.apiKey!;
  const standing = new Set(await tools.listTemplates(apiKey));
  const steps = (await tools.demoTemplates()).map(async ({ key, definition }) => {
    const before = seed.templates[key];
    const body = { ...definition, projectId: seed.projectId };
    if (before && standing.has(before)) {
      if (seed.edition === EDITION || !(await tools.isOutdated(apiKey, key, before))) return;
      return tools.replaceTemplate(apiKey, before, body);
    }
    const path = '/api/v2/pass-template';
    // One that somebody has deleted is another request than the first.
    const identifier = await tools.create(apiKey, path, body, idempotencyKey(path, { ...body, before }));
    save({ templates: { ...seed.templates, [key]: identifier } });
  });
  // All have ended before an error is thrown, so that none of them saves later.
  await Promise.allSettled(steps);
  await Promise.all(steps);
  if (seed.edition !== EDITION) save({ edition: EDITION });
}

/** The state may have been emptied around a seed file that stayed. */
async function hasAccount({ accountId }: DemoSeed, { admin }: SeedTools): Promise<boolean> {
  const accounts = await admin<{ accountId: string }[]>('account list');
  return accounts.some((account) => account.accountId === accountId);
}

async function seedAccount(seed: DemoSeed, { admin }: SeedTools, save: Save): Promise<void> {
  if (!seed.accountId) {
    const options = { name: ACCOUNT_NAME, database: HOME };
    save(await admin<{ accountId: string; apiKey: string; apiKeyId: string }>('account create', options));
  }
  const account = seed.accountId;
  const keys = await admin<{ apiKeyId: string; active: boolean }[]>('api-key list', { account });
  // Someone who tries out keys may have deleted or deactivated this one, and the demo needs one that works.
  if (!keys.some(({ apiKeyId, active }) => active && apiKeyId === seed.apiKeyId)) {
    save(await admin<{ apiKey: string; apiKeyId: string }>('api-key create', { account, name: ACCOUNT_NAME }));
  }
  if (!seed.userEmail) {
    await admin('user invite', { account, email: USER_EMAIL, privilege: ['owner'] });
    save({ userEmail: USER_EMAIL });
  }
  if (!seed.isOperator) {
    await admin('user operator', { email: seed.userEmail, on: true });
    save({ isOperator: true });
  }
}

/** The certificate and issuer of the service itself, which every account uses that has none. */
async function seedSigning(seed: DemoSeed, tools: SeedTools, save: Save): Promise<void> {
  const renewal = Date.now() + RENEWAL_DAYS * DAY_MS;
  if (!seed.certificateValidTo || Date.parse(seed.certificateValidTo) < renewal) {
    const authority = await tools.makeAuthority(AUTHORITY);
    tools.keepAuthority(authority);
    const { certificatePem, privateKeyPem, intermediatePem } = authority;
    const { validTo } = await tools.admin<{ validTo: string }>('certificate import', {
      certificatePem,
      privateKeyPem,
      intermediatePem,
      development: true,
    });
    save({ certificateValidTo: validTo });
  }
  if (!seed.googleIssuerId) {
    const { googleIssuerId } = await tools.admin<{ googleIssuerId: string }>('google-issuer import', {
      ...GOOGLE_ISSUER,
      privateKeyPem: tools.makeIssuerKey(),
      development: true,
    });
    save({ googleIssuerId });
  }
}

/** The same for the same request, so that what was made just before an interruption is not made twice. */
function idempotencyKey(path: string, body: object): string {
  return `demo-${createHash('sha256').update(path).update(JSON.stringify(body)).digest('hex')}`;
}
