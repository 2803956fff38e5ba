import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { versionNumber } from '../../../src/domain/versions.ts';
import { type Client, freshAccount } from '../../support/api.ts';
import { ENTRY_ROWS } from '../../support/audit.ts';
import { costOf, d1 } from '../../support/control.ts';
import { COPIED_PASS, copyRow } from '../../support/copy-row.ts';
import { openOutsideServer } from '../../support/outside-server.ts';
import { sampleTemplate } from '../../support/samples.ts';
import { PASS_TYPE_ID } from '../../support/start-worker.ts';
import { Device } from '../../wallets/apple/web-service/device.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

const ICON = readFileSync('scripts/demo/images/lindhof-icon.png').toString('base64');
const LOGO = readFileSync('scripts/demo/images/lindhof-logo.png').toString('base64');

const patch = (id: string, body: object) => client.patch(`/api/v2/pass-template/${id}`, body);
const replace = (id: string, body: object) => client.post(`/api/v2/pass-template/${id}`, body);
const describeTemplate = async (id: string) => (await client.get(`/api/v2/pass-template/${id}/describe`)).body.data;
const versionsOf = (id: string) =>
  d1<{ version: number }>('select version from template_versions where template_id = ? order by version', [id]);
const numbersOf = async (id: string) => (await versionsOf(id)).map(({ version }) => versionNumber(version));
const updatesOf = (id: string) =>
  d1<{ body: string }>("select body from account_events where template_id = ? and type = 'pass_template_updated'", [
    id,
  ]);

interface Property {
  id: string;
  name: string;
}

test('a new pass type must belong to the account, and it stays when its certificate is gone', async () => {
  const id = await client.createTemplate();
  const passTypeId = 'pass.com.example.nobody';
  for (const reply of [await patch(id, { passTypeId }), await replace(id, sampleTemplate({ passTypeId }))]) {
    expect([reply.status, reply.body.errors]).toEqual([400, [expect.stringContaining('passTypeId: ')]]);
  }
  expect((await patch(id, { passTypeId: PASS_TYPE_ID })).status).toBe(200);
  const orphaned = await client.createTemplate();
  await d1(
    `insert into template_versions (template_id, version, definition, created_at)
     select template_id, 2, json_set(definition, '$.passTypeId', ?), created_at from template_versions where template_id = ?`,
    [passTypeId, orphaned],
  );
  await d1('update templates set version = 2 where id = ?', [orphaned]);
  expect((await patch(orphaned, { name: 'Renamed' })).status).toBe(200);
  expect((await describeTemplate(orphaned)).passTypeId).toBe(passTypeId);
  expect((await client.post(`/api/pass-template/copy/${orphaned}`, { name: 'Copy' })).status).toBe(201);
});

const propertyId = async (id: string, name: string): Promise<string> =>
  (await describeTemplate(id)).additionalProperties.find((property: Property) => property.name === name).id;

describe('PATCH', () => {
  test('changes only what is sent, member by member, and replies with an empty data', async () => {
    const id = await client.createTemplate({ logoText: 'Members', locations: [{ latitude: 1, longitude: 2 }] });
    const before = await describeTemplate(id);
    const reply = await patch(id, { name: 'Renamed', colors: { labelColor: '#ABC' }, barcode: { format: 'aztec' } });
    expect([reply.status, reply.body]).toEqual([
      200,
      { success: true, description: expect.any(String), errors: [], data: [], statusCode: 200 },
    ]);
    expect(await describeTemplate(id)).toEqual({
      ...before,
      name: 'Renamed',
      colors: { ...before.colors, labelColor: '#aabbcc' },
      barcode: { ...before.barcode, format: 'aztec' },
    });
    expect((await client.get('/api/pass-template')).body).toContainEqual({ identifier: id, name: 'Renamed' });
  });

  test('stores each definition as its own version, and creates one event', async () => {
    const id = await client.createTemplate();
    await client.createPass(id);
    await patch(id, { name: 'Second' });
    expect(await numbersOf(id)).toEqual([1, 2]);
    const events = await updatesOf(id);
    expect(events.map(({ body }) => JSON.parse(body))).toEqual([
      { uniqueIdentifier: id, name: 'Second', noOfActivePasses: 0, noOfCreatedPasses: 1 },
    ]);
  });

  test('counts the passes that are on a device in its event', async () => {
    const id = await client.createTemplate();
    const other = await client.createPass(await client.createTemplate());
    const [first] = [await client.createPass(id), await client.createPass(id)];
    for (const pass of [first, first, other]) await new Device().register(pass!);
    await patch(id, { name: 'Counted' });
    expect(JSON.parse((await updatesOf(id))[0]!.body)).toMatchObject({ noOfActivePasses: 1, noOfCreatedPasses: 2 });
  });

  test('writes nothing when nothing differs', async () => {
    const id = await client.createTemplate();
    const reply = await patch(id, { name: 'Membership', colors: { labelColor: '#A8DADC' } });
    expect([reply.status, (await costOf(reply)).rowsWritten]).toEqual([200, 0]);
    expect(await versionsOf(id)).toHaveLength(1);
  });

  test('clears with null: a member, a whole object, a list', async () => {
    const id = await client.createTemplate({
      logoText: 'Members',
      maxPasses: 5,
      expiration: { validityInDays: 9 },
      links: [{ label: 'Site', url: 'https://example.com' }],
      passFunctionality: { type: 'loyalty' },
    });
    await patch(id, {
      logoText: null,
      maxPasses: null,
      expiration: { validityInDays: null },
      links: null,
      passFunctionality: null,
      barcode: null,
      fields: { backFields: null },
    });
    const after = await describeTemplate(id);
    expect(after.logoText ?? after.maxPasses ?? after.expiration.validityInDays ?? after.passFunctionality).toBe(
      undefined,
    );
    expect([after.links, after.fields.backFields]).toEqual([[], []]);
    expect(after.barcode).toMatchObject({ format: 'qr', valueDifferentForEachPass: false });
  });

  test('addresses field items by index in their list, and adds new ones', async () => {
    const id = await client.createTemplate({
      fields: {
        secondaryFields: [
          { key: 'a', label: 'A', value: '1' },
          { key: 'b', label: 'B', value: '2', changeMessage: 'Now %@' },
        ],
        backFields: [{ index: 7, key: 'terms', label: 'Terms' }],
      },
    });
    await patch(id, {
      fields: {
        secondaryFields: [
          { index: 1, label: 'Bee', changeMessage: null },
          { index: 4, label: 'New' },
        ],
      },
    });
    const { fields } = await describeTemplate(id);
    expect(fields.secondaryFields).toEqual([
      { index: 0, key: 'a', label: 'A', value: '1', type: 'text' },
      { index: 1, key: 'b', label: 'Bee', value: '2', type: 'text' },
      { index: 4, key: 'secondaryFields4', label: 'New', value: '', type: 'text' },
    ]);
    expect(fields.backFields).toEqual([{ index: 7, key: 'terms', label: 'Terms', value: '', type: 'text' }]);
  });

  test('addresses additional properties by id; one without id is new', async () => {
    const id = await client.createTemplate();
    const level = await propertyId(id, 'Level');
    await patch(id, {
      additionalProperties: [
        { id: level, name: 'Grade', default: null },
        { name: 'Born', type: 'date' },
      ],
    });
    const { additionalProperties } = await describeTemplate(id);
    expect(additionalProperties.map(({ name }: Property) => name)).toEqual(['Full name', 'Grade', 'Born']);
    expect(additionalProperties[1]).toEqual({ id: level, name: 'Grade', type: 'text', required: false, unique: false });
    expect(additionalProperties[2].id).toMatch(/^[0-9a-f]{13}\.\d{8}$/);
  });

  test('marks additional properties as personal, and unmarks them', async () => {
    const id = await client.createTemplate({
      additionalProperties: [{ name: 'Seat' }, { name: 'Birthday', type: 'date', personal: true }],
    } as never);
    const personal = async () => {
      const { additionalProperties } = await describeTemplate(id);
      return additionalProperties.map((property: Property & { personal?: boolean }) => property.personal);
    };
    expect(await personal()).toEqual([undefined, true]);
    await patch(id, { additionalProperties: [{ id: await propertyId(id, 'Seat'), personal: true }] });
    expect(await personal()).toEqual([true, true]);
    await patch(id, { additionalProperties: [{ id: await propertyId(id, 'Seat'), personal: null }] });
    await patch(id, { additionalProperties: [{ id: await propertyId(id, 'Birthday'), personal: false }] });
    expect(await personal()).toEqual([undefined, false]);
    expect((await replace(id, await describeTemplate(id))).status).toBe(200);
  });

  test('keeps images that are not sent, accepts new ones and addresses of this service, and removes with null', async () => {
    const id = await client.createTemplate({ images: { icon: ICON, thumbnail: ICON } });
    const { images } = await describeTemplate(id);
    await patch(id, { images: { logo: LOGO } });
    const withLogo = (await describeTemplate(id)).images;
    expect(withLogo).toEqual({ ...images, logo: expect.stringMatching(/\/images\/[0-9a-f]{64}$/) });
    await patch(id, { images: { background: withLogo.logo, thumbnail: null, perPassImages: { logo: true } } });
    expect((await describeTemplate(id)).images).toEqual({
      ...withLogo,
      background: withLogo.logo,
      thumbnail: null,
      perPassImages: { thumbnail: false, background: false, logo: true },
    });
  });

  test('redraws kept images if the type gives them another place', async () => {
    const wide = readFileSync('scripts/demo/images/ninfea-strip.png').toString('base64');
    const id = await client.createTemplate({ type: 'storeCard', images: { strip: wide } });
    const heightOf = async () => {
      const [row] = await d1<{ definition: string }>(
        'select definition from template_versions where template_id = ? order by version desc limit 1',
        [id],
      );
      return JSON.parse(row!.definition).images.strip.variants['1'].height;
    };
    expect(await heightOf()).toBe(144);
    expect((await patch(id, { type: 'eventTicket' })).status).toBe(200);
    expect(await heightOf()).toBe(98);
  });

  test('fetches an image once, however often the change is retried', async () => {
    const server = await openOutsideServer(() => ({
      headers: { 'Content-Type': 'image/png' },
      body: Buffer.from(ICON, 'base64'),
    }));
    const id = await client.createTemplate();
    const rivals = Array.from({ length: 8 }, (_, i) => patch(id, { maxPasses: i + 1 }));
    const reply = await patch(id, { images: { icon: `${server.origin}/icon.png` } });
    await Promise.all(rivals);
    expect([reply.status, server.requests.length]).toEqual([200, 1]);
    expect((await describeTemplate(id)).images.icon).toMatch(/\/images\//);
    await server.close();
  });

  test.each([
    ['name', { name: ' ' }],
    ['name', { name: null }],
    ['type', { type: 'poster' }],
    ['transitType', { transitType: 'PKTransitTypeAir' }],
    ['colors.backgroundColor', { colors: { backgroundColor: 'beige' } }],
    ['barcode', { barcode: 'qr' }],
    ['fields.primaryFields.0.index', { fields: { primaryFields: [{ label: 'No address' }] } }],
    ['fields.primaryFields.1.index', { fields: { primaryFields: [{ index: 0 }, { index: 0 }] } }],
    ['fields.primaryFields.0.type', { fields: { primaryFields: [{ index: 0, type: 'color' }] } }],
    ['fields.backFields.0.key', { fields: { backFields: [{ index: 0, key: 'member' }] } }],
    ['additionalProperties.0.id', { additionalProperties: [{ id: '0123456789abc.00000000', name: 'X' }] }],
    ['additionalProperties.2.name', { additionalProperties: [{ name: 'Level' }] }],
    ['additionalProperties.2.name', { additionalProperties: [{ type: 'date' }] }],
    ['maxPasses', { maxPasses: -1 }],
    ['locations.0.latitude', { locations: [{ latitude: 100, longitude: 1 }] }],
    ['projectId', { projectId: '0198f000-0000-7000-8000-000000000000' }],
    ['images.icon', { images: { icon: 'bm90IGFuIGltYWdl' } }],
  ])('rejects a wrong %s and changes nothing: %j', async (field, body) => {
    const id = await client.createTemplate();
    const reply = await patch(id, body);
    expect([reply.status, reply.body.errors.join()]).toEqual([400, expect.stringContaining(`${field}: `)]);
    expect(await versionsOf(id)).toHaveLength(1);
  });

  test('accepts a project of the account and a free userProvidedId, and rejects a used one', async () => {
    const project = (await client.post('/api/v3/project', { name: 'Summer' })).body.data.identifier;
    const [one, two] = [await client.createTemplate(), await client.createTemplate()];
    expect((await patch(one, { projectId: project, userProvidedId: 'edited' })).status).toBe(200);
    const { identifier } = await client.createPass(one);
    expect((await client.get(`/api/v3/pass/${identifier}`)).status).toBe(200);
    const refused = await patch(two, { userProvidedId: 'edited' });
    expect([refused.status, refused.body.errors[0]]).toEqual([400, expect.stringContaining('userProvidedId')]);
    expect((await patch(one, { userProvidedId: null, projectId: null })).status).toBe(200);
    expect((await patch(two, { userProvidedId: 'edited' })).status).toBe(200);
  });

  test('applies all of 50 simultaneous changes of different members', async () => {
    const id = await client.createTemplate({ additionalProperties: [] });
    const names = Array.from({ length: 50 }, (_, i) => `Property ${i}`);
    const replies = await Promise.all(
      names.map((name, i) =>
        patch(id, {
          additionalProperties: [{ name }],
          translations: { en: { [name]: `${i}` } },
          fields: { backFields: [{ index: 10 + i, label: name }] },
        }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(names.map(() => 200));
    const after = await describeTemplate(id);
    expect(after.additionalProperties.map(({ name }: Property) => name).sort()).toEqual([...names].sort());
    expect(after.translations.en).toEqual(Object.fromEntries(names.map((name, i) => [name, `${i}`])));
    expect(after.fields.backFields).toHaveLength(51);
    expect(await numbersOf(id)).toEqual(Array.from({ length: 51 }, (_, i) => i + 1));
    expect(await updatesOf(id)).toHaveLength(50);
  });

  test('does not find a foreign template', async () => {
    const id = await client.createTemplate();
    const foreign = await freshAccount();
    expect((await foreign.patch(`/api/v2/pass-template/${id}`, { name: 'Mine' })).status).toBe(404);
    expect((await foreign.post(`/api/v2/pass-template/${id}`, sampleTemplate())).status).toBe(404);
    expect((await patch('no-uuid', { name: 'X' })).status).toBe(404);
    expect(await versionsOf(id)).toHaveLength(1);
  });
});

describe('full replacement', () => {
  test('resets what is not sent to its default', async () => {
    const id = await client.createTemplate({ logoText: 'Members', maxPasses: 3, userProvidedId: 'gone-later' });
    const reply = await replace(id, { name: 'New', description: 'New', organizationName: 'New', type: 'generic' });
    expect([reply.status, reply.body.data]).toEqual([200, []]);
    const fresh = await client.createTemplate();
    await replace(fresh, { name: 'New', description: 'New', organizationName: 'New', type: 'generic' });
    expect({ ...(await describeTemplate(id)), identifier: fresh }).toEqual(await describeTemplate(fresh));
    expect((await describeTemplate(id)).logoText).toBeUndefined();
    expect(await updatesOf(id)).toHaveLength(1);
    await client.createTemplate({ userProvidedId: 'gone-later' });
  });

  test('accepts what describe returned, unchanged', async () => {
    const id = await client.createTemplate({ images: { icon: ICON } });
    const before = await describeTemplate(id);
    const reply = await replace(id, before);
    expect([reply.status, (await costOf(reply)).rowsWritten]).toEqual([200, 0]);
    expect(await describeTemplate(id)).toEqual(before);
  });

  test('keeps property IDs, matched by ID or by name, and the keys of fields', async () => {
    const id = await client.createTemplate({
      fields: { primaryFields: [{ label: 'No key' }], backFields: [{ key: 'mine' }] },
    });
    const before = await describeTemplate(id);
    const [fullName, level] = before.additionalProperties;
    const { identifier } = await client.createPass(id, { 'Full name': 'Ada', Level: 'Gold' });
    await replace(id, {
      ...sampleTemplate(),
      fields: { primaryFields: [{ label: 'Still no key' }], backFields: [{ label: 'Key left out' }] },
      additionalProperties: [{ name: 'Level' }, { id: fullName.id, name: 'Name' }, { name: 'Full name' }],
    });
    const after = await describeTemplate(id);
    expect(after.additionalProperties.slice(0, 2).map((property: Property) => property.id)).toEqual([
      level.id,
      fullName.id,
    ]);
    expect([level.id, fullName.id]).not.toContain(after.additionalProperties[2].id);
    expect(after.fields.primaryFields[0].key).toBe(before.fields.primaryFields[0].key);
    expect(after.fields.backFields[0].key).toBe('mine');
    const pass = (await client.get(`/api/pass/${identifier}`)).body;
    expect(pass.passFieldData).toMatchObject({ [fullName.id]: 'Ada', [level.id]: 'Gold' });
  });

  test('requires a whole definition', async () => {
    const id = await client.createTemplate();
    const reply = await replace(id, { name: 'Only a name' });
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toEqual(
      expect.arrayContaining(['description: is required', 'organizationName: is required']),
    );
  });
});

test('a change takes four round trips at most, and rows do not grow with the passes', async () => {
  const id = await client.createTemplate();
  for (let i = 0; i < 30; i++) await client.createPass(id);
  for (const reply of [await patch(id, { name: 'Cheap' }), await replace(id, sampleTemplate({ name: 'Cheaper' }))]) {
    const cost = await costOf(reply);
    expect(reply.status).toBe(200);
    expect(cost.roundTrips).toBeLessThanOrEqual(4);
    expect(cost.rowsRead).toBeLessThanOrEqual(16);
    expect(cost.rowsWritten).toBeLessThanOrEqual(8 + ENTRY_ROWS);
  }
});

test('a change of a template with 2,000 active passes reads as many rows as of one with 20', async () => {
  const costs = [];
  for (const active of [20, 2_000]) {
    const id = await client.createTemplate();
    const first = await client.createPass(id);
    await new Device().register(first);
    const rows = active - 1;
    await copyRow(d1, { table: 'passes', where: 'id = ?', params: [first.identifier], rows, own: COPIED_PASS });
    await d1('update active_pass_counts set active = active + ? where template_id = ?', [rows, id]);
    costs.push(await costOf(await patch(id, { name: 'Cheap' })));
    expect(JSON.parse((await updatesOf(id))[0]!.body)).toMatchObject({ noOfActivePasses: active });
  }
  expect(costs[1]!.rowsRead).toBe(costs[0]!.rowsRead);
});
