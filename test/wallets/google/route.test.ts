import { generateKeyPairSync } from 'node:crypto';
import { importSPKI, jwtVerify } from 'jose';
import { describe, expect, inject, test } from 'vitest';
import { demoTemplates } from '../../../scripts/demo/templates.ts';
import { admin, freshAccount } from '../../support/api.ts';
import { control } from '../../support/control.ts';
import { openOutsideServer } from '../../support/outside-server.ts';
import { GOOGLE_ISSUER_ID } from '../../support/start-worker.ts';

const GOOGLE = ['oauth2.googleapis.com', 'walletobjects.googleapis.com'];
const SAFE_CHARS = 1_800;

async function verified(url: string, publicKeyPem: string) {
  expect(url.startsWith('https://pay.google.com/gp/v/save/')).toBe(true);
  expect(url.length).toBeLessThanOrEqual(SAFE_CHARS);
  const jwt = url.slice(url.lastIndexOf('/') + 1);
  const { payload } = await jwtVerify(jwt, await importSPKI(publicKeyPem, 'RS256'), { audience: 'google' });
  return payload as { typ: string; payload: Record<string, { id: string; classId?: string }[]> };
}

describe('the save link', () => {
  test('is a JWT that jose verifies, for each style, within the safe length', async () => {
    const client = await freshAccount();
    const kinds: Record<string, string> = {
      boardingPass: 'transitObjects',
      eventTicket: 'eventTicketObjects',
      storeCard: 'loyaltyObjects',
      coupon: 'offerObjects',
      generic: 'genericObjects',
    };
    for (const { key, definition } of await demoTemplates()) {
      const simple = key === 'boardingPass' ? { transitType: 'PKTransitTypeTrain' } : {};
      const properties = (definition as { additionalProperties?: object[] }).additionalProperties ?? [];
      const additionalProperties = properties.map((property) => ({ ...property, required: false }));
      const reply = await client.post('/api/v2/pass-template', { ...definition, ...simple, additionalProperties });
      expect([key, reply.body.errors]).toEqual([key, []]);
      const pass = await client.createPass(reply.body.data.identifier);
      const { walletSaveUri } = (await client.get(`/api/pass/geturis/${pass.identifier}`)).body;
      const claims = await verified(walletSaveUri, inject('worker').trust.googlePublicKeyPem);
      expect(claims.typ).toBe('savetowallet');
      const [object] = claims.payload[kinds[key]!] ?? [];
      expect(object?.id).toBe(`${GOOGLE_ISSUER_ID}.${pass.identifier}`);
      expect(object?.classId).toMatch(new RegExp(`^${GOOGLE_ISSUER_ID}\\.`));
    }
  });

  test('carries class and object of a pass that is short enough', async () => {
    const client = await freshAccount();
    const template = await client.createTemplate({ fields: {}, additionalProperties: [] });
    const { identifier } = await client.createPass(template);
    const { walletSaveUri } = (await client.get(`/api/pass/geturis/${identifier}`)).body;
    const { payload } = await verified(walletSaveUri, inject('worker').trust.googlePublicKeyPem);
    expect(payload.genericClasses).toHaveLength(1);
    expect(payload.genericObjects?.[0]).toMatchObject({ classId: payload.genericClasses?.[0]?.id, state: 'ACTIVE' });
  });

  test('is null without Google in the template', async () => {
    const client = await freshAccount();
    const template = await client.createTemplate({ walletApps: { google: false } });
    const { identifier } = await client.createPass(template);
    expect((await client.get(`/api/pass/geturis/${identifier}`)).body.walletSaveUri).toBeNull();
  });
});

test('a pass whose link only names it is published to Google: at once with async=false, otherwise by the queue', async () => {
  const client = await freshAccount();
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const google = await openOutsideServer(({ path }) => ({
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(path === '/token' ? { access_token: 'granted', expires_in: 3600 } : {}),
  }));
  const origin = google.address;
  await Promise.all(GOOGLE.map((hostname) => control('registerHost', { hostname, origin })));
  try {
    await admin('google-issuer import', {
      account: client.accountId,
      issuerId: '3388000000022222222',
      clientEmail: `${client.accountId}@example.iam.gserviceaccount.com`,
      privateKeyPem: keys.privateKey,
    });
    const template = await client.createTemplate({ description: 'A long text that no link has room for. '.repeat(12) });
    const objects = (id: string) => (request: { path: string; body: Buffer }) =>
      request.path.endsWith('/genericObject') && JSON.parse(request.body.toString()).id.endsWith(id);

    const sync = await client.post('/api/v3/pass?async=false', {
      data: { templateId: template, barcodeValue: longText },
    });
    const { identifier, walletSaveUri } = sync.body.data;
    expect(google.requests.filter(objects(identifier))).toHaveLength(1);
    const { payload } = await verified(walletSaveUri, keys.publicKey);
    expect(payload.genericClasses).toBeUndefined();

    const later = await client.post('/api/v3/pass', { data: { templateId: template, barcodeValue: longText } });
    const [published] = await google.received(1, objects(later.body.data.identifier));
    expect(published?.headers.authorization).toBe('Bearer granted');
  } finally {
    await Promise.all(GOOGLE.map((hostname) => control('registerHost', { hostname })));
    await google.close();
  }
});

/** Makes the object too long for a link. */
const longText = 'long '.repeat(300);
