import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, clientOf, freshAccount } from '../../support/api.ts';
import { costOf, d1 } from '../../support/control.ts';
import { openOutsideServer } from '../../support/outside-server.ts';
import { sampleTemplate } from '../../support/samples.ts';
import { PASS_TYPE_ID } from '../../support/start-worker.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

const LOGO = readFileSync('scripts/demo/images/lindhof-logo.png');
const ICON = readFileSync('scripts/demo/images/lindhof-icon.png');

const copy = (id: string, body: object, target?: string) =>
  client.post(`/api/pass-template/copy/${id}${target ? `/${target}` : ''}`, body);
const definitionOf = async (id: string, of = client) => {
  const { identifier: _, ...definition } = (await of.get(`/api/v2/pass-template/${id}/describe`)).body.data;
  return definition;
};

async function subCustomer(of: Client, fields: object = {}): Promise<Client> {
  const input = { company_name: 'Harbour Theatre', last_name: 'Hopper', ...fields };
  const { status, body } = await of.post('/api/customer', input);
  expect(status).toBe(201);
  return clientOf(body.customer_identifier, body.apiToken);
}

/** Serves the two pictures by name. */
const pictures = () =>
  openOutsideServer(({ path }) => ({ headers: { 'Content-Type': 'image/png' }, body: path === '/logo' ? LOGO : ICON }));

describe('copy', () => {
  test('takes everything that is not sent from the original: replies 201 with the identifier', async () => {
    const project = (await client.post('/api/v3/project', { name: 'Summer' })).body.data.identifier;
    const id = await client.createTemplate({
      userProvidedId: 'original',
      projectId: project,
      images: { icon: ICON.toString('base64') },
      passFunctionality: { type: 'loyalty', tiers: [{ minimumValue: 5, templateId: await client.createTemplate() }] },
    });
    const reply = await copy(id, { name: 'Copy' });
    expect([reply.status, reply.body]).toEqual([201, { identifier: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
    const [original, copied] = [await definitionOf(id), await definitionOf(reply.body.identifier)];
    expect(copied).toEqual({ ...original, name: 'Copy', userProvidedId: null });
    expect(copied.additionalProperties[0].id).toBe(original.additionalProperties[0].id);
  });

  test('uses what is sent', async () => {
    const id = await client.createTemplate();
    const { body } = await copy(id, {
      name: 'Copy',
      description: 'Another card',
      organizationName: 'Another organization',
      foregroundColor: '#010203',
      backgroundColor: '#FFF',
      labelColor: '#040506',
      barcodeValue: '{userProvidedId}',
      barcodeAlternativeText: 'Member {userProvidedId}',
      urlToLogo: LOGO.toString('base64'),
      urlToBackground: ICON.toString('base64'),
      urlToIcon: ICON.toString('base64'),
      locations: [{ latitude: '48.2', longitude: 16.37, relevantText: 'Here', maxDistance: 50 }],
      userProvidedId: 'copy-of-all',
    });
    const copied = await definitionOf(body.identifier);
    expect(copied).toMatchObject({
      name: 'Copy',
      description: 'Another card',
      organizationName: 'Another organization',
      colors: { foregroundColor: '#010203', backgroundColor: '#ffffff', labelColor: '#040506' },
      barcode: { format: 'qr', value: '{userProvidedId}', alternativeText: 'Member {userProvidedId}' },
      locations: [{ latitude: 48.2, longitude: 16.37, relevantText: 'Here', maxDistance: 50 }],
      userProvidedId: 'copy-of-all',
    });
    expect(copied.images.background).toBe(copied.images.icon);
    expect(copied.images.logo).not.toBe(copied.images.icon);
    expect((await client.createPass(body.identifier, { userProvidedId: 'u-1' })).barcodeValue).toBe('u-1');
  });

  test('is published, creates an event, and has its own passes', async () => {
    const id = await client.createTemplate({ maxPasses: 1 });
    await client.createPass(id);
    await client.patch(`/api/v2/pass-template/${id}`, { logoText: 'Draft' });
    const { identifier } = (await copy(id, { name: 'Copy' })).body;
    expect((await definitionOf(identifier)).logoText).toBe('Draft');
    expect((await client.post(`/api/v2/pass-template/${identifier}/publish`)).status).toBe(200);
    await client.createPass(identifier);
    const events = await d1<{ body: string }>('select body from account_events where template_id = ? order by id', [
      identifier,
    ]);
    expect(JSON.parse(events[0]!.body)).toEqual({
      uniqueIdentifier: identifier,
      name: 'Copy',
      noOfActivePasses: 0,
      noOfCreatedPasses: 0,
    });
  });

  test('keeps an integration by property id working, with unique values apart', async () => {
    const id = await client.createTemplate({ additionalProperties: [{ name: 'Number', unique: true }] });
    const [{ id: property }] = (await definitionOf(id)).additionalProperties;
    await client.createPass(id, { [property]: '1' });
    const { identifier } = (await copy(id, { name: 'Copy' })).body;
    expect((await client.createPass(identifier, { [property]: '1' })).genericProperties).toEqual({ Number: '1' });
  });

  test('takes images by URL', async () => {
    const server = await pictures();
    const id = await client.createTemplate();
    const { body } = await copy(id, { name: 'Copy', urlToLogo: `${server.origin}/logo` });
    expect((await definitionOf(body.identifier)).images.logo).toMatch(/\/images\/[0-9a-f]{64}$/);
    await server.close();
  });

  test.each([
    ['name', {}],
    ['name', { name: '' }],
    ['name', { name: '  ' }],
    ['name', { name: null }],
    ['backgroundColor', { name: 'Copy', backgroundColor: 'beige' }],
    ['locations.0.longitude', { name: 'Copy', locations: [{ latitude: 1 }] }],
    ['urlToLogo', { name: 'Copy', urlToLogo: 'bm90IGFuIGltYWdl' }],
    ['urlToIcon', { name: 'Copy', urlToIcon: 'https://10.0.0.1/icon.png' }],
    ['useDefaultImages', { name: 'Copy', useDefaultImages: 'perhaps' }],
  ])('rejects a wrong %s: %j', async (field, body) => {
    const id = await client.createTemplate();
    const reply = await copy(id, body);
    expect([reply.status, reply.body]).toEqual([400, { ErrorMessage: expect.stringContaining(`${field}: `) }]);
  });

  test('rejects a used userProvidedId', async () => {
    const id = await client.createTemplate();
    expect((await copy(id, { name: 'One', userProvidedId: 'taken' })).status).toBe(201);
    const reply = await copy(id, { name: 'Two', userProvidedId: 'taken' });
    expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringContaining('userProvidedId')]);
  });

  test('does not find a foreign or unknown template', async () => {
    const foreign = await freshAccount();
    const id = await foreign.createTemplate();
    expect((await copy(id, { name: 'Mine' })).status).toBe(404);
    expect((await copy('no-uuid', { name: 'Mine' })).status).toBe(404);
  });

  test('takes four round trips at most', async () => {
    const cost = await costOf(await copy(await client.createTemplate(), { name: 'Cheap' }));
    expect(cost.roundTrips).toBeLessThanOrEqual(4);
  });
});

describe('a new template', () => {
  test('uses the account’s logo and icon if it sets none', async () => {
    const server = await pictures();
    const own = await subCustomer(client, { logoUrl: `${server.origin}/logo`, iconUrl: `${server.origin}/icon` });
    const contentOf = async (url: string) => Buffer.from((await own.get(url as '/')).body);
    const { images } = await definitionOf(await own.createTemplate(), own);
    expect((await contentOf(images.logo)).equals(LOGO)).toBe(true);
    expect((await contentOf(images.icon)).equals(ICON)).toBe(true);
    const chosen = { icon: null, logo: ICON.toString('base64') };
    const { images: said } = await definitionOf(await own.createTemplate({ images: chosen }), own);
    expect(said.icon ?? null).toBeNull();
    expect((await contentOf(said.logo)).equals(ICON)).toBe(true);
    await server.close();
  });

  test('omits those that cannot be fetched, and the reply reports it', async () => {
    const server = await pictures();
    const own = await subCustomer(client, { logoUrl: `${server.origin}/logo`, iconUrl: `${server.origin}/icon` });
    const complete = await own.post('/api/v2/pass-template', sampleTemplate());
    expect(complete.body).toMatchObject({ description: 'Template created', data: { identifier: expect.any(String) } });
    expect(complete.body.data).not.toHaveProperty('warnings');
    await server.close();
    const reply = await own.post('/api/v2/pass-template', sampleTemplate({ images: { icon: null } }));
    expect([reply.status, reply.body]).toEqual([
      201,
      {
        success: true,
        description: 'Template created without the account’s logo',
        errors: [],
        data: { identifier: expect.any(String), warnings: [expect.stringContaining('logoUrl of the account')] },
        statusCode: 201,
      },
    ]);
    expect((await definitionOf(reply.body.data.identifier, own)).images).toMatchObject({ icon: null, logo: null });
    const neither = await own.post('/api/v2/pass-template', sampleTemplate());
    expect(neither.body.description).toBe('Template created without the account’s icon and logo');
    expect(neither.body.data.warnings).toHaveLength(2);
  });

  test('is rejected if an image given by the caller cannot be fetched', async () => {
    const server = await pictures();
    const [logoUrl, iconUrl] = [`${server.origin}/logo`, `${server.origin}/icon`];
    await server.close();
    const own = await subCustomer(client, { iconUrl });
    const reply = await own.post('/api/v2/pass-template', sampleTemplate({ images: { logo: logoUrl } }));
    expect([reply.status, reply.body.errors]).toEqual([
      400,
      [expect.stringMatching(/^images\.logo: .*not importable/)],
    ]);
    expect((await own.get('/api/pass-template')).body).toEqual([]);
  });
});

describe('useDefaultImages', () => {
  test('uses the account’s logo and icon, and the original’s if it has none', async () => {
    const server = await pictures();
    const own = await subCustomer(client, { logoUrl: `${server.origin}/logo` });
    const id = await own.createTemplate({ images: { icon: ICON.toString('base64'), logo: ICON.toString('base64') } });
    const { images } = await definitionOf(id, own);
    const path = `/api/pass-template/copy/${id}` as const;
    const plain = (await own.post(path, { name: 'Copy', useDefaultImages: false })).body.identifier;
    expect((await definitionOf(plain, own)).images).toEqual(images);
    const branded = (await own.post(path, { name: 'Copy', useDefaultImages: true })).body.identifier;
    const after = (await definitionOf(branded, own)).images;
    expect(after.icon).toBe(images.icon);
    expect(Buffer.from((await own.get(after.logo)).body).equals(LOGO)).toBe(true);
    await server.close();
    const reply = await own.post(path, { name: 'Copy', useDefaultImages: true });
    expect([reply.status, reply.body]).toEqual([
      201,
      { identifier: expect.any(String), warnings: [expect.stringMatching(/^useDefaultImages: .*created without it$/)] },
    ]);
    expect((await definitionOf(reply.body.identifier, own)).images).toMatchObject({ icon: images.icon, logo: null });
    // The account has no icon, so it uses the caller's.
    const sent = { name: 'Copy', useDefaultImages: true, urlToIcon: 'nothing' };
    expect((await own.post(path, sent)).body.ErrorMessage).toMatch(/^urlToIcon: .*not importable/);
  });
});

describe('copy to a sub-customer', () => {
  test('creates the template in the sub-customer’s account, with its images and what it may know', async () => {
    const server = await pictures();
    const project = (await client.post('/api/v3/project', { name: 'Summer' })).body.data.identifier;
    const id = await client.createTemplate({
      projectId: project,
      passTypeId: PASS_TYPE_ID,
      images: { icon: ICON.toString('base64') },
      passFunctionality: { type: 'loyalty', tiers: [{ minimumValue: 5, templateId: await client.createTemplate() }] },
    });
    const target = await subCustomer(client, { iconUrl: `${server.origin}/logo` });
    const reply = await copy(id, { name: 'Theirs', useDefaultImages: true }, target.accountId);
    expect(reply.status).toBe(201);
    const { identifier } = reply.body;
    expect((await target.get('/api/pass-template')).body).toEqual([{ identifier, name: 'Theirs' }]);
    expect((await client.get(`/api/v2/pass-template/${identifier}/describe`)).status).toBe(404);
    const [original, copied] = [await definitionOf(id), await definitionOf(identifier, target)];
    expect(copied.additionalProperties).toEqual(original.additionalProperties);
    expect(copied.passFunctionality).toEqual({ type: 'loyalty', tiers: [] });
    expect([copied.projectId, copied.passTypeId].map((value) => value ?? null)).toEqual([null, null]);
    expect(copied.images.icon).not.toBe(original.images.icon);
    await target.createPass(identifier, { 'Full name': 'Ada' });
    const [event] = await d1<{ account_id: string }>('select account_id from account_events where template_id = ?', [
      identifier,
    ]);
    expect(event?.account_id).toBe(target.accountId);
    await server.close();
  });

  test('finds only sub-customers of the caller', async () => {
    const id = await client.createTemplate();
    const stranger = await freshAccount();
    const theirs = await subCustomer(stranger);
    const mine = await subCustomer(client);
    const grandchild = await subCustomer(mine);
    for (const target of [stranger.accountId, theirs.accountId, grandchild.accountId, client.accountId, 'no-uuid']) {
      const reply = await copy(id, { name: 'Copy' }, target);
      expect([reply.status, reply.body]).toEqual([404, { ErrorMessage: 'Object not found' }]);
    }
    const reply = await mine.post(`/api/pass-template/copy/${id}/${grandchild.accountId}`, { name: 'Copy' });
    expect(reply.status).toBe(404);
  });
});

describe('the deprecated update', () => {
  const update = (id: string, body: object) => client.post(`/api/pass-template/${id}`, body);

  test('changes only what is sent: replies 200 without a body', async () => {
    const id = await client.createTemplate({ userProvidedId: 'stays', barcode: { alternativeText: 'Stays' } });
    const before = await definitionOf(id);
    const reply = await update(id, {
      name: 'Updated',
      backgroundColor: '#000000',
      barcodeValue: 'fixed',
      urlToIcon: ICON.toString('base64'),
      locations: [{ latitude: 1, longitude: 2 }],
      userProvidedId: 'ignored',
      barcodeAlternativeText: 'Ignored',
    });
    expect([reply.status, reply.body]).toEqual([200, undefined]);
    expect(await definitionOf(id)).toEqual({
      ...before,
      name: 'Updated',
      colors: { ...before.colors, backgroundColor: '#000000' },
      barcode: { ...before.barcode, value: 'fixed' },
      images: { ...before.images, icon: expect.stringMatching(/\/images\//) },
      locations: [{ latitude: 1, longitude: 2 }],
    });
    const events = await d1<{ type: string }>('select type from account_events where template_id = ? order by id', [
      id,
    ]);
    expect(events.map(({ type }) => type)).toEqual(['pass_template_created', 'pass_template_updated']);
  });

  test('is a draft until it is published', async () => {
    const id = await client.createTemplate();
    const { identifier } = await client.createPass(id);
    await update(id, { name: 'Updated' });
    const shown = async () => (await client.get(`/api/v3/pass/${identifier}`)).body.data.passTemplateName;
    expect(await shown()).toBe('Membership');
    expect((await client.post(`/api/v2/pass-template/${id}/publish`)).status).toBe(201);
    expect(await shown()).toBe('Updated');
  });

  test.each([
    ['name', {}],
    ['name', { name: ' ' }],
    ['labelColor', { name: 'X', labelColor: 'beige' }],
    ['urlToBackground', { name: 'X', urlToBackground: 'nothing' }],
  ])('rejects a wrong %s: %j', async (field, body) => {
    const reply = await update(await client.createTemplate(), body);
    expect([reply.status, reply.body]).toEqual([400, { ErrorMessage: expect.stringContaining(`${field}: `) }]);
  });

  test('does not find a foreign or unknown template', async () => {
    const id = await (await freshAccount()).createTemplate();
    expect((await update(id, { name: 'Mine' })).status).toBe(404);
    expect((await update('no-uuid', { name: 'Mine' })).status).toBe(404);
  });

  test('is marked as deprecated in the contract', async () => {
    const { body } = await client.get('/openapi.json');
    expect(body.paths['/api/pass-template/{identifier}'].post.deprecated).toBe(true);
  });
});
