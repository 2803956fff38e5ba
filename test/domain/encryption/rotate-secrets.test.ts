import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importGoogleIssuer } from '../../../src/domain/certificates/import-google-issuer.ts';
import { openPushSecret, setPushSettings } from '../../../src/domain/certificates/push-settings.ts';
import { certificates, googleIssuers, type PushSettings } from '../../../src/domain/certificates/table.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { rotateSecrets } from '../../../src/domain/encryption/rotate-secrets.ts';
import { claimRequest, keepReply } from '../../../src/domain/idempotency/idempotent-requests.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { openBundleCopy, openBundleToken, openTokens } from '../../../src/domain/passes/page/links.ts';
import { bundleLinks, passes } from '../../../src/domain/passes/table.ts';
import { insertSigningKey, newSigningKey } from '../../../src/domain/signing-keys/signer.ts';
import { signingKeys } from '../../../src/domain/signing-keys/table.ts';
import { rotateSecret } from '../../../src/domain/webhooks/manage-subscription.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { webhookSubscriptions } from '../../../src/domain/webhooks/table.ts';
import { decrypt, encrypt } from '../../../src/platform/sealed-text.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { newRsaKeys } from '../../support/rsa-keys.ts';
import { openScanner } from '../app-scans/scanner-samples.ts';
import {
  type Issuer,
  importCertificate,
  newIssuer,
  newPassCertificate,
  subjectOf,
} from '../certificates/pass-certificates.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

const PASS_TYPE_ID = 'pass.com.example.tickets';
const TARGET = { target_url: 'https://shop.example.com/hook', event: 'pass_created' };
const TOKEN = 'a-relay-token-of-its-own';

let database: LocalDatabase;
let issuer: Issuer;
let ctx: AccountContext;

beforeAll(async () => {
  issuer = await newIssuer('CN=Example Issuer, OU=G9');
});
beforeEach(async () => {
  await database?.close();
  database = openMemoryDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

/** Returns the same account with other keys: `keys` is ENCRYPTION_KEYS, and `plain` is ENCRYPTION_KEY. */
function under(keys: string, plain?: string): AccountContext {
  return { ...ctx, env: { ...ctx.env, ENCRYPTION_KEYS: keys, ENCRYPTION_KEY: plain } };
}

const newKey = () => randomBytes(32).toString('base64');

async function importFor(validDays: number): Promise<string> {
  const files = await newPassCertificate(issuer, { subject: subjectOf(PASS_TYPE_ID), validDays });
  return (await importCertificate(ctx, ctx.account.id, { ...files, intermediatePem: issuer.pem })).certificateId;
}

/**
 * Creates one of every encrypted value: eleven texts in twelve places, because two certificates share their settings.
 */
async function fill() {
  await importFor(100);
  await setPushSettings(ctx, await importFor(200), { 'relay-url': 'https://relay.example.com', 'relay-token': TOKEN });
  const { privateKey: privateKeyPem } = await newRsaKeys();
  const google = { issuerId: '3388000000000000001', clientEmail: 'wallet@example.iam.gserviceaccount.com' };
  await importGoogleIssuer(ctx, ctx.account.id, { ...google, privateKeyPem });
  if ((await database.look.select().from(signingKeys)).length === 0)
    await insertSigningKey(ctx, await newSigningKey(ctx));
  const { subscription, secret, accessToken } = await subscribe(ctx, TARGET, { generateAccessToken: true });
  const { secret: newSecret } = await rotateSecret(ctx, subscription.id);
  const scanner = await openScanner(ctx);
  const jobs = withJobs(ctx);
  const { pass } = await createPass(jobs, await makeTemplate(jobs), { bundleId: 'family' }, { wait: true });
  return { pass, privateKeyPem, secrets: [newSecret, secret, accessToken], scanner };
}

/** Returns every encrypted text in the database with its place, in any table. */
async function sealedTexts(): Promise<{ place: string; key: string }[]> {
  const rows = async (sql: string) => (await database.d1.prepare(sql).all<Record<string, unknown>>()).results;
  const found: { place: string; key: string }[] = [];
  for (const { name } of await rows(
    "select name from sqlite_master where type = 'table' and name not like '%pass_terms%'",
  )) {
    if (String(name).startsWith('_cf')) continue;
    for (const row of await rows(`select * from "${name}"`)) {
      for (const [column, value] of Object.entries(row)) {
        const [, plain, key] =
          /(?:^|"|^[\w-]{43}\.)(?:(v1)|v2\.([\w-]+))\.[A-Za-z0-9+/]{16}\.[A-Za-z0-9+/=]{20,}/.exec(String(value)) ?? [];
        if (plain || key) found.push({ place: `${name}.${column}`, key: key ?? 'without ID' });
      }
    }
  }
  return found;
}

/**
 * Modules that encrypt for the database. A new one declares a `SealedColumn` for `rotateSecrets`, or deletes its texts
 * within a day, like stored replies.
 */
const SEALERS = [
  'app-configurations/link-secrets.ts',
  // A probe for comparing two services' keys; it is never stored.
  'backups/restore-service.ts',
  'certificates/certificate-requests.ts',
  'certificates/import-certificate.ts',
  'certificates/import-google-issuer.ts',
  'certificates/push-settings.ts',
  'encryption/rotate-secrets.ts',
  'idempotency/idempotent-requests.ts',
  'passes/page/links.ts',
  'signing-keys/signer.ts',
  'webhooks/secrets.ts',
];

test('knows every module that encrypts', () => {
  const folder = join(import.meta.dirname, '../../../src/domain');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const sealers = files.filter((name) =>
    /import \{[^}]*\bencrypt(?:Sync)?\b/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(sealers.map((name) => name.replaceAll('\\', '/')).sort()).toEqual(SEALERS);
});

describe('rotating secrets', () => {
  test('encrypts everything again, so that only the new key opens it', async () => {
    const { pass, privateKeyPem, secrets, scanner } = await fill();
    const tokens = { ...openTokens(ctx.env, pass), bundle: openBundleCopy(ctx.env, pass) };
    const before = await sealedTexts();
    expect(before.every(({ key }) => key === 'without ID')).toBe(true);
    const places = new Set(before.map(({ place }) => place));
    const key = newKey();
    const report = await rotateSecrets(under(`2:${key}`, ctx.env.ENCRYPTION_KEY));
    expect(report).toEqual({
      rotated: before.length,
      replaced: 0,
      unreadable: 0,
      texts: { '2': before.length },
      next: null,
    });
    const after = await sealedTexts();
    expect(new Set(after.map(({ place }) => place))).toEqual(places);
    expect(after.every((one) => one.key === '2')).toBe(true);

    const { env } = under(`2:${key}`);
    const [issuerRow] = await database.look.select().from(googleIssuers);
    expect(await decrypt(env, issuerRow!.id, issuerRow!.privateKeySealed)).toBe(privateKeyPem);
    const rows = await database.look.select().from(certificates);
    for (const row of rows) expect(await decrypt(env, row.id, row.privateKeySealed)).toContain('PRIVATE KEY');
    expect(rows[0]!.push).toEqual(rows[1]!.push);
    const push = rows[0]!.push as Extract<PushSettings, { kind: 'relay' }>;
    expect(push).toMatchObject({ kind: 'relay', url: 'https://relay.example.com' });
    expect(Object.keys(push).sort()).toEqual(['kind', 'tokenSealed', 'url']);
    expect(await openPushSecret(env, rows[0]!, push.tokenSealed)).toBe(TOKEN);
    const [webhook] = await database.look.select().from(webhookSubscriptions);
    const sealed = [webhook!.secretSealed, webhook!.previousSecretSealed!, webhook!.accessTokenSealed!];
    expect(await Promise.all(sealed.map((text) => decrypt(env, webhook!.id, text)))).toEqual(secrets);
    const [row] = await database.look.select().from(passes).where(eq(passes.id, pass.id));
    expect({ ...openTokens(env, row!), bundle: openBundleCopy(env, row!) }).toEqual(tokens);
    const [bundle] = await database.look.select().from(bundleLinks);
    expect(openBundleToken(env, bundle!)).toBe(tokens.bundle);
    const { link } = await scanner.open();
    expect(JSON.parse(await decrypt(env, link.id, link.secrets))).toEqual({ token: scanner.token, pin: scanner.pin });
  });

  test('writes nothing the second time, and reports what still has another key', async () => {
    await fill();
    const settings = [`2:${newKey()}`, ctx.env.ENCRYPTION_KEY] as const;
    const { rotated } = await rotateSecrets(under(...settings));
    const again = under(...settings);
    expect(await rotateSecrets(again)).toMatchObject({ rotated: 0, texts: { '2': rotated }, next: null });
    await subscribe(ctx, { ...TARGET, event: 'pass_deleted' });
    const third = `3:${newKey()},${settings[0]}`;
    const report = await rotateSecrets(under(third, settings[1]), 'webhook_subscriptions.secret_sealed:');
    expect(report.texts).toEqual({ '2': rotated - report.rotated + 1, '3': report.rotated });
  });

  test('skips replies of idempotent requests, which are deleted after a day', async () => {
    const { claimed } = await claimRequest(ctx, 'a key', 'digest');
    await keepReply(ctx, claimed!, { status: 200, headers: {}, body: 'a reply' });
    const rotating = under(`2:${newKey()}`, ctx.env.ENCRYPTION_KEY);
    expect(await rotateSecrets(rotating)).toMatchObject({ rotated: 0, texts: {} });
    expect((await claimRequest(rotating, 'a key', 'digest')).kept?.body).toBe('a reply');
  });

  test('loses nothing written meanwhile', async () => {
    const { subscription } = await subscribe(ctx, TARGET);
    const key = newKey();
    const rotating = under(`2:${key}`, ctx.env.ENCRYPTION_KEY);
    const original = rotating.db.batch.bind(rotating.db);
    // Another write happens between reading the page and replacing its texts.
    let isFirst = true;
    rotating.db.batch = (async (statements: never) => {
      if (isFirst) {
        isFirst = false;
        await rotateSecret(ctx, subscription.id);
      }
      return original(statements);
    }) as never;
    const between = await rotateSecrets(rotating);
    expect(between).toMatchObject({ replaced: 1, unreadable: 0 });
    const [webhook] = await database.look.select().from(webhookSubscriptions);
    const { env } = under(`2:${key}`, ctx.env.ENCRYPTION_KEY);
    for (const text of [webhook!.secretSealed, webhook!.previousSecretSealed!]) {
      expect(await decrypt(env, webhook!.id, text)).toMatch(/^whsec_/);
    }
    expect(await rotateSecrets(under(`2:${key}`, ctx.env.ENCRYPTION_KEY))).toMatchObject({
      rotated: 1,
      texts: { '2': 2 },
    });
  });

  test('skips and counts what no key opens', async () => {
    await fill();
    const lost = under(`9:${newKey()}`);
    await subscribe(lost, { ...TARGET, event: 'pass_deleted' });
    const report = await rotateSecrets(under(`2:${newKey()}`, ctx.env.ENCRYPTION_KEY));
    expect(report).toMatchObject({ unreadable: 1, next: null, texts: { '9': 1 } });
  });

  test('continues in pages from where it stopped', async () => {
    const { subscription } = await subscribe(ctx, TARGET);
    const copies = await Promise.all(
      Array.from({ length: 2_150 }, async (_, i) => {
        const id = `copy-${String(i).padStart(6, '0')}`;
        return [id, await encrypt(ctx.env, id, `secret ${i}`)];
      }),
    );
    const columns = Object.keys((await database.d1.prepare('select * from webhook_subscriptions').all()).results[0]!);
    const values: Record<string, string> = {
      id: 'copy.value ->> 0',
      target_url: 'target_url || (copy.value ->> 0)',
      secret_sealed: 'copy.value ->> 1',
    };
    const copied = columns.map((name) => values[name] ?? name).join(', ');
    await database.d1
      .prepare(
        `insert into webhook_subscriptions (${columns.join(', ')}) select ${copied} from json_each(?) as copy, webhook_subscriptions where webhook_subscriptions.id = ?`,
      )
      .bind(JSON.stringify(copies), subscription.id)
      .run();
    const settings = [`2:${newKey()}`, ctx.env.ENCRYPTION_KEY] as const;
    const first = await rotateSecrets(under(...settings));
    expect(first.next).toMatch(/^webhook_subscriptions\.secret_sealed:/);
    expect(first.texts['without ID']).toBe(copies.length + 1 - first.rotated);
    const rest = await rotateSecrets(under(...settings), first.next!);
    expect(rest).toMatchObject({ texts: { '2': copies.length + 1 }, next: null });
    expect(first.rotated + rest.rotated).toBe(copies.length + 1);
    const rows = await database.look
      .select()
      .from(webhookSubscriptions)
      .where(eq(webhookSubscriptions.id, copies[7]![0]!));
    expect(await decrypt(under(...settings).env, copies[7]![0]!, rows[0]!.secretSealed)).toBe('secret 7');
  });

  test('rejects an unknown position', async () => {
    for (const place of ['', 'x', 'passes.id:1']) {
      await expect(rotateSecrets(ctx, place)).rejects.toThrow('after: must be the value of "next" from an earlier run');
    }
  });
});
