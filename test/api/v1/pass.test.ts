import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { createConfiguration } from '../../support/app-scans.ts';
import { d1, eventually, storedKeys } from '../../support/control.ts';
import { recordedEvents } from '../../support/event-bodies.ts';

const TIMESTAMP = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

let client: Client;
let foreign: Client;
let templateId: string;
beforeAll(async () => {
  [client, foreign] = await Promise.all([freshAccount({ timezone: 'Europe/Berlin' }), freshAccount()]);
  templateId = await client.createTemplate();
});

describe('create', () => {
  test('replies with the v1 object', async () => {
    const reply = await client.post(`/api/pass?passtemplate=${templateId}&integrationStyle=true`, {
      userProvidedId: 'create-1',
      'Full name': 'Ada Lovelace',
    });
    expect(reply.status).toBe(201);
    const { identifier } = reply.body;
    expect(reply.body).toEqual({
      identifier,
      uri: expect.stringMatching(new RegExp(`/api/pass/${identifier}$`)),
      linkToPassFile: expect.stringMatching(/\.pkpass$/),
      linkToPassPage: expect.stringMatching(/\/p\/[\w-]{25}$/),
      barcodeValue: expect.stringMatching(/^[0-9A-Z]{16}$/),
      genericProperties: { 'Full name': 'Ada Lovelace', Level: 'Basic' },
      ErrorMessage: '',
    });
    expect(reply.body.linkToPassPage).not.toContain(identifier);
  });

  test('needs passtemplate (400), which must exist (404) and not be foreign', async () => {
    expect((await client.post('/api/pass', {})).body.ErrorMessage).toContain('passtemplate');
    expect((await client.post('/api/pass?passtemplate=', {})).status).toBe(400);
    for (const caller of [client, foreign]) {
      const id = caller === client ? '0198f000-0000-7000-8000-000000000000' : templateId;
      const reply = await caller.post(`/api/pass?passtemplate=${id}`, {});
      expect([reply.status, reply.body]).toEqual([404, { ErrorMessage: 'Object not found' }]);
    }
  });

  test.each([
    ['expirationDate', '2026-02-30 10:00'],
    ['expirationDate', '30.02.2026'],
    ['relevantDate', '2026-01-01T10'],
    ['locations', 'here'],
    ['locations', [{ latitude: 91, longitude: 0 }]],
    ['locations', [{ longitude: 0 }]],
    ['storedValue', 'much'],
    ['enforceUniqueUserProvidedId', 'yes'],
    ['userProvidedId', { a: 1 }],
    ['eligibleValidationPlaces', ['Moon']],
    ['Full name', { first: 'Ada' }],
  ])('rejects %s = %j and names it', async (field, value) => {
    const reply = await client.post(`/api/pass?passtemplate=${templateId}`, { [field]: value });
    expect(reply.status).toBe(400);
    expect(reply.body.ErrorMessage).toContain(field);
  });

  test('drops invalid colors and ignores unknown keys', async () => {
    const created = await client.createPass(templateId, { backgroundColor: 'beige-ish', mystery: [1, 2] });
    expect(created.identifier).toBeTruthy();
  });

  test('turns numbers and booleans into text', async () => {
    const { identifier } = await client.createPass(templateId, { userProvidedId: 42, 'Full name': true });
    const { body } = await client.get(`/api/pass/${identifier}?includeFieldMapping=true`);
    expect(body.userProvidedId).toBe('42');
    expect(body.passFieldData[body.fieldMapping['Full name']]).toBe('true');
  });

  test('enforces a unique userProvidedId under 50 simultaneous creates', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () =>
        client.post(`/api/pass?passtemplate=${templateId}`, {
          userProvidedId: 'race',
          enforceUniqueUserProvidedId: true,
        }),
      ),
    );
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1);
    const refused = replies.filter((reply) => reply.status === 400);
    expect(refused).toHaveLength(49);
    expect(refused[0]?.body.ErrorMessage).toContain('unique');
  });

  test('stops exactly at maxPasses, even if 50 creates race, and a deleted pass frees its slot', async () => {
    const limited = await client.createTemplate({ maxPasses: 7 });
    const create = () => client.post(`/api/pass?passtemplate=${limited}`, {});
    const replies = await Promise.all(Array.from({ length: 50 }, create));
    const created = replies.filter((reply) => reply.status === 201);
    expect(created).toHaveLength(7);
    expect(replies.find((reply) => reply.status === 400)?.body.ErrorMessage).toContain('maximum number of passes');
    expect((await client.get(`/api/pass/list/${limited}`)).body.total).toBe(7);
    await client.delete(`/api/pass/${created[0]?.body.identifier}`);
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(400);
  });

  test('records one pass_created event in the same batch', async () => {
    const { identifier } = await client.createPass(templateId, { userProvidedId: 'evented' });
    const rows = await recordedEvents('pass_id = ?', [identifier]);
    expect(rows.map((row) => row.type)).toEqual(['pass_created']);
    expect(Object.keys(rows[0]!.body).sort()).toEqual([
      'createdOn',
      'genericProperties',
      'identifier',
      'linkToPassPage',
      'passId',
      'passTemplate',
      'passTemplateGuid',
      'uniqueIdentifier',
      'userProvidedId',
    ]);
  });
});

describe('read', () => {
  test('returns the list item and the members that only a read has', async () => {
    const { identifier, barcodeValue } = await client.createPass(templateId, {
      userProvidedId: 'read-1',
      'Full name': 'Grace Hopper',
      expirationDate: '2027-07-01 12:00',
      storedValue: '12.5',
    });
    const { status, body } = await client.get(`/api/pass/${identifier}?includeFieldMapping=true`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      identifier,
      userProvidedId: 'read-1',
      barcodeValue,
      voided: false,
      redeemed: false,
      expirationDate: '2027-07-01 12:00:00',
      storedValue: 12.5,
      passTemplateGuid: templateId,
      passTemplateName: 'Membership',
      numberOfActive: 0,
      numberOfInactive: 0,
      numberOfPrinted: 0,
      lastUsage: null,
      placesUsedAt: [],
      eligiblePlaces: [],
      thumbnail: null,
    });
    expect(body.createdOn).toMatch(TIMESTAMP);
    expect(body.searchString.split('|')).toContain('Grace Hopper');
    expect(body.passFieldData[body.fieldMapping['Full name']]).toBe('Grace Hopper');
    expect((await client.get(`/api/pass/${identifier}`)).body).not.toHaveProperty('fieldMapping');
  });

  test('stores dates in UTC and shows them in the account’s zone', async () => {
    const { identifier } = await client.createPass(templateId, { expirationDate: '2027-07-01 12:00' });
    const [row] = await d1<{ expiration_at: number }>('select expiration_at from passes where id = ?', [identifier]);
    expect(new Date(row!.expiration_at).toISOString()).toBe('2027-07-01T10:00:00.000Z');
  });

  test('finds a pass by identifier, userProvidedId, barcode value and generatedId, in this order', async () => {
    const a = await client.createPass(templateId, { userProvidedId: 'name-a', barcodeValue: 'code-a' });
    const { generatedId } = (await client.get(`/api/pass/${a.identifier}`)).body;
    for (const name of [a.identifier, 'name-a', 'code-a', generatedId]) {
      expect((await client.get(`/api/pass/${name}`)).body.identifier).toBe(a.identifier);
      expect((await client.get(`/api/v3/pass/${name}`)).body.data.identifier).toBe(a.identifier);
    }
    const named = await client.createPass(templateId, { userProvidedId: 'code-a' });
    expect((await client.get('/api/pass/code-a')).body.identifier).toBe(named.identifier);
    const idAsName = await client.createPass(templateId, { userProvidedId: a.identifier });
    expect((await client.get(`/api/pass/${a.identifier}`)).body.identifier).toBe(a.identifier);
    expect(idAsName.identifier).not.toBe(a.identifier);
  });

  test('finds the newest of several with the same userProvidedId', async () => {
    await client.createPass(templateId, { userProvidedId: 'twin' });
    const newest = await client.createPass(templateId, { userProvidedId: 'twin' });
    expect((await client.get('/api/pass/twin')).body.identifier).toBe(newest.identifier);
  });

  test('does not distinguish a foreign pass from an unknown one', async () => {
    const { identifier } = await client.createPass(templateId, { userProvidedId: 'secret-guest' });
    const unknown = await foreign.get('/api/pass/0198f000-0000-7000-8000-000000000000');
    for (const name of [identifier, 'secret-guest']) {
      const reply = await foreign.get(`/api/pass/${name}`);
      expect([reply.status, reply.body]).toEqual([404, unknown.body]);
    }
    expect((await foreign.put(`/api/pass/${identifier}`, { voided: true })).status).toBe(404);
    expect((await foreign.delete(`/api/pass/${identifier}`)).status).toBe(404);
    expect((await foreign.get(`/api/pass/geturis/${identifier}`)).status).toBe(404);
    expect((await foreign.get(`/api/pass/list/${templateId}`)).status).toBe(404);
    expect((await client.get(`/api/pass/${identifier}`)).body.voided).toBe(false);
  });

  test('rejects an unknown app configuration', async () => {
    const { identifier } = await client.createPass(templateId);
    const reply = await client.get(`/api/pass/${identifier}?appConfigurationId=0198f000-0000-7000-8000-000000000000`);
    expect(reply.status).toBe(404);
    const foreign = await createConfiguration(await freshAccount());
    for (const version of ['', '/v3']) {
      for (const scanner of ['none', crypto.randomUUID(), foreign.configurationId]) {
        const read = await client.get(`/api${version}/pass/${identifier}?appConfigurationId=${scanner}`);
        expect([scanner, read.status]).toEqual([scanner, 404]);
      }
    }
  });
});

describe('void', () => {
  test('voids and restores a pass, with one event and one version each', async () => {
    const { identifier } = await client.createPass(templateId, { userProvidedId: 'void-me' });
    expect((await client.put('/api/pass/void-me', { voided: true })).status).toBe(204);
    expect((await client.put('/api/pass/void-me', { voided: true })).status).toBe(204);
    expect((await client.get(`/api/pass/${identifier}`)).body.voided).toBe(true);
    await client.put(`/api/pass/${identifier}`, { voided: false });
    expect((await client.get(`/api/pass/${identifier}`)).body.voided).toBe(false);
    const events = await d1<{ type: string }>('select type from account_events where pass_id = ? order by id', [
      identifier,
    ]);
    expect(events.map((event) => event.type)).toEqual(['pass_created', 'pass_voided', 'pass_unvoided']);
    const [row] = await d1<{ version: number }>('select version from passes where id = ?', [identifier]);
    expect(row?.version).toBe(3);
  });

  test('takes effect once if 50 voids race', async () => {
    const { identifier } = await client.createPass(templateId);
    await Promise.all(Array.from({ length: 50 }, () => client.put(`/api/pass/${identifier}`, { voided: true })));
    const events = await d1('select 1 from account_events where pass_id = ? and type = ?', [identifier, 'pass_voided']);
    const [row] = await d1<{ version: number }>('select version from passes where id = ?', [identifier]);
    expect([events.length, row?.version]).toEqual([1, 2]);
  });

  test.each([[{}], [{ voided: 'true' }], [{ voided: 1 }], [{ voided: null }]])('rejects %j', async (body) => {
    const { identifier } = await client.createPass(templateId);
    const reply = await client.put(`/api/pass/${identifier}`, body);
    expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringContaining('voided')]);
  });
});

describe('delete', () => {
  test('deletes the pass permanently, in v1 without a body and in v3 with the envelope', async () => {
    const a = await client.createPass(templateId, { userProvidedId: 'gone-1' });
    const deleted = await client.delete('/api/pass/gone-1');
    expect([deleted.status, deleted.body]).toEqual([200, undefined]);
    expect((await client.get(`/api/pass/${a.identifier}`)).status).toBe(404);
    expect((await client.delete(`/api/pass/${a.identifier}`)).status).toBe(404);
    const b = await client.createPass(templateId);
    const v3 = await client.delete(`/api/v3/pass/${b.identifier}`);
    expect([v3.status, v3.body.data, v3.body.success]).toEqual([200, [], true]);
  });

  test('takes effect once if 20 calls race, and keeps the template’s count right', async () => {
    const template = await client.createTemplate();
    const [a] = await Promise.all([client.createPass(template), client.createPass(template)]);
    const replies = await Promise.all(Array.from({ length: 20 }, () => client.delete(`/api/pass/${a?.identifier}`)));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    expect((await client.get(`/api/pass/list/${template}`)).body.total).toBe(1);
    const events = await d1("select 1 from account_events where pass_id = ? and type = 'pass_deleted'", [
      a?.identifier,
    ]);
    expect(events).toHaveLength(1);
  });

  test('removes the stored pass file through the queue', async () => {
    const pass = await client.createPass(templateId);
    expect((await client.get(pass.linkToPassFile as '/')).status).toBe(200);
    const prefix = `pass-files/${pass.identifier}`;
    await eventually(async () => (await storedKeys(prefix)).length === 1);
    await client.delete(`/api/pass/${pass.identifier}`);
    await eventually(async () => (await storedKeys(prefix)).length === 0);
    expect((await client.get(pass.linkToPassFile as '/')).status).toBe(404);
  });
});

describe('list', () => {
  test('is paged oldest first by links with a position, without gaps or repeats', async () => {
    const template = await client.createTemplate();
    const created: string[] = [];
    for (let i = 0; i < 7; i++) created.push((await client.createPass(template)).identifier);
    const seen: string[] = [];
    let next: string | undefined = `/api/pass/list/${template}?pageSize=3`;
    let pages = 0;
    while (next) {
      const { body } = await client.get(next as '/');
      seen.push(...body.results.map((item: { identifier: string }) => item.identifier));
      expect(body.total).toBe(7);
      expect(body.query).toMatchObject({ start: pages * 3, pageSize: 3 });
      pages += 1;
      next = body.query.next;
      if (next) expect(next).toContain('lastIdOfPriorPage=');
      expect((await client.get(body.query.self)).body.results).toEqual(body.results);
    }
    expect(seen).toEqual(created);
    expect(pages).toBe(3);
    const skipped = await client.get(`/api/pass/list/${template}?start=5`);
    expect(skipped.body.results.map((item: { identifier: string }) => item.identifier)).toEqual(created.slice(5));
  });

  test('filters by createdSince and modifiedSince in the account’s zone', async () => {
    const template = await client.createTemplate();
    const { identifier } = await client.createPass(template);
    const { createdOn } = (await client.get(`/api/pass/${identifier}`)).body;
    const since = createdOn.slice(0, 16);
    for (const name of ['createdSince', 'modifiedSince']) {
      const all = await client.get(`/api/pass/list/${template}?${name}=${encodeURIComponent(since)}`);
      expect(all.body).toMatchObject({ total: 1, results: [{ identifier }] });
      const none = await client.get(`/api/pass/list/${template}?${name}=2099-01-01%2000:00`);
      expect(none.body).toMatchObject({ total: 0, results: [] });
    }
  });

  test('names the template as the pass shows it: a new name reaches existing passes once it is published', async () => {
    const template = await client.createTemplate({ name: 'Old' });
    const { identifier } = await client.createPass(template);
    await client.patch(`/api/v2/pass-template/${template}`, { name: 'New' });
    const { identifier: later } = await client.createPass(template);
    const namesOf = async () => {
      const { body } = await client.get(`/api/pass/list/${template}`);
      const read = (await client.get(`/api/pass/${identifier}`)).body.passTemplateName;
      const listed = body.results.map((item: { passTemplateName: string }) => item.passTemplateName);
      return [read, ...listed];
    };
    expect(await namesOf()).toEqual(['Old', 'Old', 'New']);
    expect((await client.get(`/api/pass/${later}`)).body.passTemplateName).toBe('New');
    await client.post(`/api/v2/pass-template/${template}/publish`, {});
    expect(await namesOf()).toEqual(['New', 'New', 'New']);
  });

  test('ignores modifiedSince next to createdSince, and has 100 passes per page', async () => {
    const template = await client.createTemplate();
    await client.createPass(template);
    const { body } = await client.get(
      `/api/pass/list/${template}?createdSince=2000-01-01%2000:00&modifiedSince=2099-01-01%2000:00`,
    );
    expect(body).toMatchObject({ total: 1, query: { start: 0, pageSize: 100 } });
    expect(body.query).not.toHaveProperty('next');
  });

  test('starts at the first pass of a second if only that is given', async () => {
    const template = await client.createTemplate();
    const created: string[] = [];
    for (let i = 0; i < 4; i++) created.push((await client.createPass(template)).identifier);
    const { createdOn } = (await client.get(`/api/pass/${created[2]}`)).body;
    const all = (await client.get(`/api/pass/list/${template}`)).body.results;
    const query = `lastCreatedOnOfPriorPage=${encodeURIComponent(createdOn)}`;
    const { results, total } = (await client.get(`/api/pass/list/${template}?${query}&start=3`)).body;
    const ofThatSecondOrLater = all.filter((item: { createdOn: string }) => item.createdOn >= createdOn);
    expect(results).toEqual(ofThatSecondOrLater);
    expect(total).toBe(4);
    const behind = await client.get(`/api/pass/list/${template}?${query}&lastIdOfPriorPage=${created[2]}`);
    expect(behind.body.results).toMatchObject([{ identifier: created[3] }]);
  });

  test('does not even parse modifiedSince next to createdSince', async () => {
    const path = `/api/pass/list/${templateId}` as const;
    expect((await client.get(`${path}?createdSince=2000-01-01%2000:00&modifiedSince=soon`)).status).toBe(200);
    expect((await client.get(`${path}?modifiedSince=soon`)).status).toBe(400);
  });

  test.each([
    'pageSize=0',
    'pageSize=101',
    'pageSize=ten',
    'start=-1',
    'createdSince=soon',
    'modifiedSince=2026-02-30 10:00',
    'lastCreatedOnOfPriorPage=x',
    'lastIdOfPriorPage=x',
  ])('rejects %s and names it', async (query) => {
    const reply = await client.get(`/api/pass/list/${templateId}?${query}`);
    expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringContaining(query.split('=')[0]!)]);
  });
});
