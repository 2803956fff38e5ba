import { importSPKI, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { demoTemplates } from '../../../scripts/demo/templates.ts';
import { type Client, freshAccount, send } from '../../support/api.ts';
import { eventually, sendJobs } from '../../support/control.ts';
import { inboxOf } from '../../support/dev-inbox.ts';
import { GoogleStandIn } from '../../support/google-stand-in.ts';
import { GOOGLE_ISSUER_ID } from '../../support/start-worker.ts';

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
      seasonTicket: 'eventTicketObjects',
      transitTicket: 'transitObjects',
    };
    for (const { key, definition } of await demoTemplates()) {
      const simple = key === 'boardingPass' ? { transitType: 'PKTransitTypeTrain', apple: null } : {};
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

  test('contains class and object of a pass that is short enough', async () => {
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

describe('the dev inbox, for a development issuer', () => {
  const subjectsOf = async (identifier: string) =>
    (await inboxOf(`${GOOGLE_ISSUER_ID}.${identifier}`)).map(({ kind, subject }) => `${kind} ${subject}`);

  test('has the object of a pass whose link only names it: at once with async=false, otherwise through the queue', async () => {
    const client = await freshAccount();
    const templateId = await client.createTemplate({
      description: 'A long text that no link has room for. '.repeat(12),
    });
    const data = { templateId, barcodeValue: 'long '.repeat(300) };
    const sync = (await client.post('/api/v3/pass?async=false', { data })).body.data;
    expect(await subjectsOf(sync.identifier)).toEqual(['google object']);
    const later = (await client.post('/api/v3/pass', { data })).body.data;
    await eventually(async () => (await subjectsOf(later.identifier)).length === 1);
  });

  test('has a pass whose link contains it once somebody views its page, not when a program requests its headers', async () => {
    const client = await freshAccount();
    const template = await client.createTemplate({ fields: {}, additionalProperties: [] });
    const { identifier, linkToPassPage } = await client.createPass(template);
    expect((await send('HEAD', linkToPassPage as '/')).status).toBe(200);
    expect((await client.get(`/api/pass/${identifier}`)).status).toBe(200);
    expect(await subjectsOf(identifier)).toEqual([]);
    await send('GET', linkToPassPage as '/');
    await eventually(async () => (await subjectsOf(identifier)).length === 1);
  });
});

describe('an issuer registered with Google', () => {
  let google: GoogleStandIn;
  let client: Client;
  beforeAll(async () => {
    google = await GoogleStandIn.open();
    client = await freshAccount();
    await google.admit(client);
  });
  afterAll(() => google.close());

  const linkOf = async (id: string): Promise<string> =>
    (await client.get(`/api/pass/geturis/${id}`)).body.walletSaveUri;
  /** Creates a template too long for a link. */
  const longTemplate = () =>
    client.createTemplate({ description: 'A long text that no link has room for. '.repeat(12) });
  const shortTemplate = () => client.createTemplate({ fields: {}, additionalProperties: [] });
  const hasObject = (id: string) => eventually(() => google.object(id));
  const formOf = (url: string) => {
    const { payload } = JSON.parse(Buffer.from(url.split('/').at(-1)!.split('.')[1]!, 'base64url').toString());
    return payload.genericClasses ? 'full' : 'skinny';
  };

  test('gets a pass whose link only names it: at once with async=false, otherwise through the queue', async () => {
    const templateId = await longTemplate();
    const data = { templateId, barcodeValue: 'long '.repeat(300) };
    const sync = await client.post('/api/v3/pass?async=false', { data });
    const { identifier, walletSaveUri } = sync.body.data;
    expect(google.object(identifier)).toMatchObject({ state: 'ACTIVE' });
    expect(formOf(walletSaveUri)).toBe('skinny');
    google.saveByLink(walletSaveUri);
    const later = await client.post('/api/v3/pass', { data });
    await hasObject(later.body.data.identifier);
  });

  test('gets nothing while the link contains the pass, and each change from then on', async () => {
    const { identifier } = await client.createPass(await shortTemplate());
    const link = await linkOf(identifier);
    expect(formOf(link)).toBe('full');
    expect(google.callsOf(identifier)).toEqual([]);
    await client.put(`/api/pass/${identifier}`, { voided: true });
    await sendJobs([{ type: 'push-to-google', passId: identifier }], client);
    await eventually(() => google.object(identifier)?.state === 'INACTIVE');
    // The old link no longer changes anything.
    google.saveByLink(link);
    expect(google.object(identifier).state).toBe('INACTIVE');
    // Google has the object a moment before the service records it.
    await eventually(async () => formOf(await linkOf(identifier)) === 'skinny');
  });

  test('gets passes of a bulk operation once their link is requested and only names them', async () => {
    const templateId = await longTemplate();
    const passes = ['a', 'b'].map((userProvidedId) => ({ userProvidedId, barcodeValue: 'long '.repeat(300) }));
    await client.post('/api/v3/pass/bulk/create', { templateId, passes });
    const rows = await eventually(async () => {
      const { body } = await client.get(`/api/pass/list/${templateId}`);
      return body.results?.length === 2 && body.results;
    });
    for (const { identifier } of rows)
      google.saveByLink(
        await linkOf(identifier).then(async (url) => {
          await hasObject(identifier);
          return url;
        }),
      );
  });

  test('gets passes that are older than the issuer when their link is requested', async () => {
    const older = await freshAccount();
    const { identifier } = await older.createPass(await older.createTemplate({ fields: {}, additionalProperties: [] }));
    await google.admit(older);
    await older.get(`/api/pass/geturis/${identifier}`);
    await hasObject(identifier);
  });

  test('gets all changes of a pass', async () => {
    const templateId = await client.createTemplate();
    const { identifier } = await client.createPass(templateId, { 'Full name': 'Ada' });
    const change = async (fields: object) => {
      if ('voided' in fields) await client.put(`/api/pass/${identifier}`, fields);
      else await client.patch(`/api/v3/pass/${identifier}`, { data: fields });
      await sendJobs([{ type: 'push-to-google', passId: identifier }], client);
    };
    google.saveByLink(await linkOf(identifier));
    await google.tell(identifier, 'save');
    expect((await client.get(`/api/pass/${identifier}`)).body.numberOfActive).toBe(1);
    await change({ 'Full name': 'Grace' });
    await eventually(() => google.object(identifier)?.header.defaultValue.value === 'Grace');
    await change({ voided: true });
    await eventually(() => google.object(identifier).state === 'INACTIVE');
    await change({ voided: false });
    await eventually(() => google.object(identifier).state === 'ACTIVE');
    const retried = google.calls.length + 1;
    google.failures.push({ status: 503, headers: { 'Retry-After': '1' } });
    await change({ 'Full name': 'Joan' });
    await eventually(() => google.object(identifier).header.defaultValue.value === 'Joan', 60_000);
    expect(google.calls[retried - 1]!.status).toBe(503);
    await google.tell(identifier, 'del');
    expect((await client.get(`/api/pass/${identifier}`)).body.numberOfActive).toBe(0);
    await client.delete(`/api/pass/${identifier}`);
    await eventually(() => google.object(identifier).state === 'EXPIRED');
    expect(google.tokensGiven).toBeLessThanOrEqual(2);
  });

  test('gets expired passes of a deleted template', async () => {
    const templateId = await client.createTemplate();
    const ids = await Promise.all([1, 2, 3].map(async () => (await client.createPass(templateId)).identifier));
    await sendJobs(
      ids.map((passId) => ({ type: 'push-to-google', passId })),
      client,
    );
    await Promise.all(ids.map(hasObject));
    await client.delete(`/api/pass-template/${templateId}`);
    await eventually(() => ids.every((id) => google.object(id).state === 'EXPIRED'));
  });
});
