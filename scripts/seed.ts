import { createHash } from 'node:crypto';
import type { DemoKey } from './demo/templates.ts';
import type { DevelopmentAuthority } from './development-ca.ts';

/**
 * What a first start creates. Saved in `STATE_DIR/demo-seed.json` after each step, so that an interrupted start can
 * continue.
 */
export interface DemoSeed {
  accountId?: string;
  apiKeyId?: string;
  apiKey?: string;
  userEmail?: string;
  /** Whether the user is an operator of the service. */
  isOperator?: boolean;
  /** When the development certificate expires, as ISO 8601. */
  certificateValidTo?: string;
  googleIssuerId?: string;
  projectId?: string;
  templates: Partial<Record<DemoKey, string>>;
  /** `EDITION` of the definitions its templates were last compared with. */
  edition?: number;
  /** Path of the demo's scanner link. */
  gatePath?: string;
}

/** A complete seed. */
export type DemoFacts = Required<Omit<DemoSeed, 'templates'>> & { templates: Record<DemoKey, string> };

/** External functions that seeding uses. */
export interface SeedTools {
  /** Runs an administration command. */
  admin<T>(command: string, options?: Record<string, unknown>): Promise<T>;
  /** Posts to the public API and returns the identifier of the new object. */
  create(apiKey: string, path: string, body: object, idempotencyKey: string): Promise<string>;
  /** Returns the identifiers of the account's templates. */
  listTemplates(apiKey: string): Promise<string[]>;
  /** Whether a template is unchanged from an earlier release. */
  isOutdated(apiKey: string, key: DemoKey, identifier: string): Promise<boolean>;
  /** Replaces a template's definition, also for its existing passes. */
  replaceTemplate(apiKey: string, identifier: string, definition: object): Promise<void>;
  /** Creates an app configuration with a link, and returns the link's path. */
  createScanner(apiKey: string): Promise<string>;
  makeAuthority(options: {
    passTypeId: string;
    teamId: string;
    organizationName: string;
  }): Promise<DevelopmentAuthority>;
  keepAuthority(authority: DevelopmentAuthority): void;
  /**
   * Returns a new RSA private key for the Google issuer, as PKCS#8 PEM, and saves its public half for verifying save
   * links.
   */
  makeIssuerKey(): string;
  demoTemplates(): Promise<{ key: DemoKey; definition: object }[]>;
  save(seed: DemoSeed): void;
}

/** Version of the definitions. Increment it when some change for existing templates (`demo/outdated.ts`). */
const EDITION = 2;
const ACCOUNT_NAME = 'Demo';
/** The demo's account lives outside the directory, so that anything built on it works with several databases. */
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
/** Development certificates with fewer days left are renewed. */
const RENEWAL_DAYS = 7;
const DAY_MS = 24 * 60 * 60_000;

/** Creates what the demo still lacks and returns all of it. Saves after each step. */
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

/** Creates missing templates in parallel, and updates unchanged ones from an earlier release. */
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
    // Recreating a deleted template needs another key than creating it.
    const identifier = await tools.create(apiKey, path, body, idempotencyKey(path, { ...body, before }));
    save({ templates: { ...seed.templates, [key]: identifier } });
  });
  // Waits for all steps before throwing, so that none saves afterwards.
  await Promise.allSettled(steps);
  await Promise.all(steps);
  if (seed.edition !== EDITION) save({ edition: EDITION });
}

/** The seed file may have outlived the state. */
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
  // This key may have been deleted or deactivated while trying out keys; the demo needs one that works.
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

/** The service's own certificate and issuer, used by every account without its own. */
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

/** Returns the same key for the same request, so that nothing is created twice after an interruption. */
function idempotencyKey(path: string, body: object): string {
  return `demo-${createHash('sha256').update(path).update(JSON.stringify(body)).digest('hex')}`;
}
