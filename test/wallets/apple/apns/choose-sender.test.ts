import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type PushOptions, setPushSettings } from '../../../../src/domain/certificates/push-settings.ts';
import type { AccountContext } from '../../../../src/domain/context.ts';
import type { Env } from '../../../../src/platform/env.ts';
import { pushSenderFor } from '../../../../src/wallets/apple/apns/choose-sender.ts';
import { importCertificate, newIssuer, newPassCertificate } from '../../../domain/certificates/pass-certificates.ts';
import { type LocalDatabase, openMemoryDatabase } from '../../../domain/local-database.ts';
import { getSigningCertificate } from '../../../support/open-certificate.ts';

const TOPIC = 'pass.com.example.tickets';
const RELAY = { 'relay-url': 'https://relay.example.com', 'relay-token': 'a-relay-token-of-its-own' };
const SENT = { outcome: 'sent' };

let database: LocalDatabase;
let ctx: AccountContext;
let certificateId: string;
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = await database.accountContext();
  const issuer = await newIssuer('CN=Example Issuer, OU=G9');
  const files = { ...(await newPassCertificate(issuer)), intermediatePem: issuer.pem };
  certificateId = (await importCertificate(ctx, ctx.account.id, files)).certificateId;
});
afterAll(() => database.close());
afterEach(() => vi.unstubAllGlobals());

const local = { ADMIN_TOKEN: 'local' } as Partial<Env>;

/** Saves the settings, and pushes with them in a deployment, or in the environment that `env` makes of it. */
async function pushBy(options: PushOptions, env: object = {}) {
  await setPushSettings(ctx, certificateId, options);
  const { certificate } = await getSigningCertificate(ctx, ctx.account.id);
  const context = { ...ctx, env: { ...ctx.env, ...env } };
  const about = [{ passId: 'the-pass', text: 'Gate A7' }];
  return pushSenderFor(context, certificate).send(TOPIC, [
    { token: 'aa', about },
    { token: 'bb', about },
  ]);
}

async function devInbox() {
  const { results } = await database.d1
    .prepare('select * from outbox_items order by key')
    .all<Record<string, string>>();
  await database.d1.prepare('delete from outbox_items').all();
  return results.map(({ kind, recipient, subject, text, details }) => ({
    ...{ kind, to: recipient, subject, text },
    ...JSON.parse(details!),
  }));
}

const replyWith = (reply: () => Response) => {
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => reply());
  vi.stubGlobal('fetch', fetch);
  return fetch;
};

describe('the route of a push', () => {
  test('is missing in a deployment without settings, with a message that says how to set it', async () => {
    const reason = `No push method is set for ${TOPIC}; set one with "certificate push --id ${certificateId}"`;
    const refused = { outcome: 'refused', reason };
    expect(await pushBy({ none: true })).toEqual([refused, refused]);
    expect(await devInbox()).toEqual([]);
  });

  test('ends in the dev inbox of a local service without settings', async () => {
    const fetch = replyWith(() => new Response(null, { status: 500 }));
    expect(await pushBy({ none: true }, local)).toEqual([SENT, SENT]);
    const item = { kind: 'apns', subject: TOPIC, text: 'Gate A7', passId: 'the-pass' };
    expect(await devInbox()).toEqual([
      { ...item, to: 'aa' },
      { ...item, to: 'bb' },
    ]);
    expect(fetch).not.toHaveBeenCalled();
  });

  test('is the mTLS binding of the certificate', async () => {
    const asked: string[] = [];
    const APNS_TICKETS = {
      async fetch(url: string) {
        asked.push(url);
        return new Response(null);
      },
    };
    expect(await pushBy({ 'mtls-binding': 'APNS_TICKETS' }, { APNS_TICKETS })).toEqual([SENT, SENT]);
    expect(asked).toEqual(['aa', 'bb'].map((token) => `https://api.push.apple.com/3/device/${token}`));
  });

  test.each(['APNS_TICKETS', 'ENCRYPTION_KEY', 'DB'])(
    'is no binding %s that presents no certificate',
    async (binding) => {
      const reason = `wrangler.toml binds no mTLS certificate by the name ${binding}`;
      expect(await pushBy({ 'mtls-binding': binding })).toEqual([
        { outcome: 'refused', reason },
        { outcome: 'refused', reason },
      ]);
    },
  );

  test('goes directly to Apple with a token of the key', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const p8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const fetch = replyWith(() => new Response(null));
    expect(await pushBy({ p8, 'key-id': 'ABC123DEFG' })).toEqual([SENT, SENT]);
    const [url, init] = fetch.mock.calls[0]!;
    expect(url).toBe('https://api.push.apple.com/3/device/aa');
    const { authorization } = init.headers as Record<string, string>;
    const [header, claims] = authorization!.replace('bearer ', '').split('.');
    const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(decode(header!)).toEqual({ alg: 'ES256', kid: 'ABC123DEFG' });
    expect(decode(claims!)).toEqual({ iss: 'TEAM012345', iat: expect.any(Number) });
  });

  test('is the relay, and a local service stores each push’s outcome in its dev inbox', async () => {
    const fetch = replyWith(() => Response.json({ outcomes: [SENT, { outcome: 'gone' }] }));
    expect(await pushBy(RELAY, local)).toEqual([SENT, { outcome: 'gone' }]);
    expect(fetch.mock.calls[0]![1].headers).toMatchObject({ authorization: `Bearer ${RELAY['relay-token']}` });
    const item = { kind: 'apns', subject: TOPIC, text: 'Gate A7', passId: 'the-pass', via: 'relay' };
    expect(await devInbox()).toEqual([
      { ...item, to: 'aa', outcome: 'sent' },
      { ...item, to: 'bb', outcome: 'gone' },
    ]);
    await pushBy(RELAY);
    expect(await devInbox()).toEqual([]);
  });

  test('is a relay on this machine only if local targets are allowed', async () => {
    const fetch = replyWith(() => Response.json({ outcomes: [SENT, SENT] }));
    const allowed = { ...local, ALLOW_LOCAL_TARGETS: 'true' };
    const env = ctx.env;
    ctx = { ...ctx, env: { ...env, ...allowed } };
    const onThisMachine = { ...RELAY, 'relay-url': 'http://127.0.0.1:8100' };
    expect(await pushBy(onThisMachine)).toEqual([SENT, SENT]);
    // The setting isn't portable: with the same row, a deployment refuses.
    expect(await pushBy(onThisMachine, { ADMIN_TOKEN: undefined })).toMatchObject([
      { outcome: 'refused' },
      { outcome: 'refused' },
    ]);
    expect(fetch).toHaveBeenCalledTimes(1);
    ctx = { ...ctx, env };
  });
});
