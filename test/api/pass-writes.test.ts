import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { d1, eventually, runScheduled } from '../support/control.ts';
import { type OutsideReply, type OutsideServer, openOutsideServer } from '../support/outside-server.ts';
import { ended } from '../support/processes.ts';

/* Special cases of updates: `voided`, recipients, images that fail, and moves between templates. */

const BULK = '/api/v3/pass/bulk';
const DAY_MS = 24 * 60 * 60_000;

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

const read = async (id: string) => (await client.get(`/api/v3/pass/${id}`)).body.data;
const eventsOf = async (id: string) =>
  (await d1<{ type: string }>('select type from account_events where pass_id = ? order by id', [id])).map(
    ({ type }) => type,
  );
const create = async (fields: object = {}) => (await client.createPass(templateId, { ...fields })).identifier;

describe('voided in v3', () => {
  const writes = {
    PATCH: (id: string, data: object) => client.patch(`/api/v3/pass/${id}`, { data }),
    POST: (id: string, data: object) => client.post(`/api/v3/pass/${id}`, { data }),
    'bulk PATCH': (id: string, data: object) => client.patch(BULK, { data, filter: { identifiers: [id] } }),
    'bulk POST': (id: string, data: object) => client.post(BULK, { passes: [{ identifier: id, data }] }),
  };
  const entries = Object.entries(writes);

  test.each(entries)('%s voids and restores, with the events of the v1 call', async (_, write) => {
    const id = await create();
    for (const voided of [true, true, false]) {
      const reply = await write(id, { voided });
      if (reply.status === 202) await ended(client, reply);
      else expect(reply.status).toBe(200);
      expect(await read(id)).toMatchObject({ voided, redeemed: false });
    }
    // The property's default is restored, so nothing else has changed.
    expect(await eventsOf(id)).toEqual(['pass_created', 'pass_voided', 'pass_unvoided']);
  });

  test.each(entries)('%s without it does not change it', async (_, write) => {
    const id = await create();
    await client.put(`/api/pass/${id}`, { voided: true });
    const reply = await write(id, { storedValue: 3 });
    if (reply.status === 202) await ended(client, reply);
    expect(await read(id)).toMatchObject({ voided: true, storedValue: 3 });
  });

  test.each([null, 'true', 1])('%j is rejected, and nothing is saved', async (voided) => {
    const id = await create();
    for (const write of [writes.PATCH, writes.POST, writes['bulk PATCH']]) {
      const reply = await write(id, { voided, storedValue: 9 });
      expect([reply.status, reply.body.errors]).toEqual([400, ['data.voided: must be true or false']]);
    }
    const process = await ended(client, await writes['bulk POST'](id, { voided, storedValue: 9 }));
    expect(process.errors).toEqual({ [id]: 'voided: must be true or false' });
    expect(await read(id)).toMatchObject({ voided: false, storedValue: null });
  });

  test('together with other values creates both events', async () => {
    const id = await create();
    await writes.PATCH(id, { voided: true, storedValue: 5 });
    expect(await eventsOf(id)).toEqual(['pass_created', 'pass_voided', 'pass_updated']);
  });
});

describe('a recipient', () => {
  const WRONG: [string, string][] = [
    ['emailRecipient', 'ada at home'],
    ['emailRecipient', 'ada@'],
    ['phoneRecipient', '0664 1234567'],
    ['phoneRecipient', '+43'],
    ['phoneRecipient', 'call me'],
  ];
  const RIGHT = { emailRecipient: 'Ada@Example.com', phoneRecipient: '0043 (664) 123-45 67' };

  test.each(WRONG)('%s %j is rejected at once, in every version, with an example', async (field, value) => {
    const id = await create();
    const sent = { [field]: value, storedValue: 1 };
    const replies = await Promise.all([
      client.post(`/api/pass?passtemplate=${templateId}`, sent),
      client.post('/api/v3/pass', { data: { templateId, ...sent } }),
      client.post(`/api/pass/${id}`, sent),
      client.post(`/api/v3/pass/${id}`, { data: sent }),
      client.patch(`/api/v3/pass/${id}`, { data: sent }),
      client.patch(BULK, { data: sent, filter: { identifiers: [id] } }),
    ]);
    const example = field === 'emailRecipient' ? 'such as ada@example.com' : 'such as +43 664 1234567';
    for (const { status, body } of replies) {
      expect([status, body.ErrorMessage ?? body.errors.join()]).toEqual([400, expect.stringContaining(field)]);
      expect(body.ErrorMessage ?? body.errors.join()).toContain(example);
    }
    expect((await read(id)).storedValue).toBeNull();
  });

  test('is rejected per pass if each has its own values', async () => {
    const ids = [await create(), await create()];
    const passes = ids.map((identifier, i) => ({ identifier, data: { emailRecipient: i ? 'nobody' : 'a@b.example' } }));
    const process = await ended(client, await client.patch(BULK, { passes }));
    expect(process.errors).toEqual({ [ids[1]!]: expect.stringMatching(/^emailRecipient: must be an e-mail address/) });
    const created = await client.post(`${BULK}/create`, {
      templateId,
      passes: [{ phoneRecipient: '12' }, { userProvidedId: 'with-phone', ...RIGHT }],
    });
    expect((await ended(client, created)).errors).toEqual({ 0: expect.stringMatching(/^phoneRecipient: /) });
  });

  test('is stored and shown as written', async () => {
    const id = await create(RIGHT);
    expect(await read(id)).toMatchObject(RIGHT);
    await client.patch(`/api/v3/pass/${id}`, { data: { emailRecipient: '', phoneRecipient: null } });
    expect(await read(id)).toMatchObject({ emailRecipient: null, phoneRecipient: null });
  });
});

describe('images', () => {
  const IMAGE = readFileSync('scripts/demo/images/lindhof-icon.png');
  const OTHER = readFileSync('scripts/demo/images/lindhof-logo.png');
  /** Replies by path, in order; the last one repeats. */
  const answers = new Map<string, OutsideReply[]>();
  let outside: OutsideServer;
  let pictured: string;

  beforeAll(async () => {
    outside = await openOutsideServer(({ path }) => {
      const replies = answers.get(path) ?? [{ body: path.includes('other') ? OTHER : IMAGE }];
      return replies.length > 1 ? replies.shift()! : replies[0]!;
    });
    pictured = await client.createTemplate({
      images: { perPassImages: { thumbnail: true, background: true, logo: true } },
      translationsEnabled: true,
    });
  });
  afterAll(() => outside.close());

  const url = (name: string) => `${outside.origin}/${name}.png`;
  const answering = (name: string, replies: OutsideReply[]) => {
    answers.set(`/${name}.png`, replies);
    return url(name);
  };
  const askedFor = (name: string) => outside.requests.filter(({ path }) => path === `/${name}.png`).length;
  const createPictured = async (data: object) =>
    (await client.post('/api/v3/pass', { data: { templateId: pictured, ...data } })).body.data.identifier as string;
  const pendingOf = async (id: string) => {
    const [row] = await d1<{ pending: string | null }>(
      `select appearance ->> '$.pendingImages' as pending from passes where id = ?`,
      [id],
    );
    return JSON.parse(row!.pending ?? 'null');
  };
  /** Backdates what the pass waits for, as if this much time had passed. */
  const ages = (id: string, millis: number) =>
    d1(
      `update passes set appearance = json_set(appearance, '$.pendingImages.dueAt', 0,
        '$.pendingImages.triedUntil', (appearance ->> '$.pendingImages.triedUntil') - ?) where id = ?`,
      [millis, id],
    );
  /**
   * Waits until an image was requested this often and the pass has scheduled its next attempt, which is sooner than
   * the end of a job's lease.
   */
  const hasFailed = (id: string, name: string, times: number) =>
    eventually(
      async () =>
        askedFor(name) === times && (await pendingOf(id))?.dueAt < Date.now() + 60_000 * 2 ** (times - 1) + 1_000,
    );
  const settled = (id: string) => eventually(async () => !(await pendingOf(id)) && read(id));

  test('that can never be imported are in importErrors and in the timeline until they are replaced or cleared', async () => {
    const bad = answering('bad', [{ body: 'no image' }]);
    const gone = answering('gone', [{ status: 404 }]);
    const id = await createPictured({ urlToThumbnail: bad, localizedBackgroundImages: { de: gone } });
    const { importErrors, urlToThumbnail, localizedBackgroundImages, modifiedOn } = await settled(id);
    expect([urlToThumbnail, localizedBackgroundImages]).toEqual([null, null]);
    expect(importErrors).toEqual([
      { field: 'urlToThumbnail', url: bad, message: 'image is not importable from URL (it is neither PNG nor JPEG)' },
      { field: 'localizedBackgroundImages.de', url: gone, message: expect.stringContaining('status 404') },
    ]);
    expect([askedFor('bad'), askedFor('gone')]).toEqual([1, 1]);
    expect(await eventsOf(id)).toEqual(['pass_created']);

    // Writing back a read clears nothing.
    await client.post(`/api/v3/pass/${id}`, { data: await read(id) });
    expect(await read(id)).toMatchObject({ importErrors, modifiedOn });
    await client.patch(`/api/v3/pass/${id}?async=false`, { data: { urlToThumbnail: url('good') } });
    expect((await read(id)).importErrors.map(({ field }: { field: string }) => field)).toEqual([
      'localizedBackgroundImages.de',
    ]);
    await client.patch(`/api/v3/pass/${id}`, { data: { localizedBackgroundImages: null } });
    expect(await read(id)).toMatchObject({ importErrors: [], urlToThumbnail: expect.stringContaining('/images/') });
  });

  test.each([
    ['a status 503', { status: 503 }],
    ['a status 429', { status: 429 }],
    ['a status 408', { status: 408 }],
    ['a status 425', { status: 425 }],
    ['a broken connection', { breaks: true }],
  ] satisfies [string, OutsideReply][])('that fail with %s are retried until they arrive', async (name, failure) => {
    const path = `later-${name.replaceAll(' ', '-')}`;
    const id = await createPictured({ urlToThumbnail: answering(path, [failure, failure, { body: IMAGE }]) });
    await hasFailed(id, path, 1);
    await ages(id, 0);
    await runScheduled();
    await hasFailed(id, path, 2);
    await ages(id, 0);
    await runScheduled();
    expect(await settled(id)).toMatchObject({ urlToThumbnail: expect.stringContaining('/images/'), importErrors: [] });
    expect(askedFor(path)).toBe(3);
  });

  test('that fail for a day are no longer retried', async () => {
    const broken = answering('broken', [{ status: 500 }]);
    const id = await createPictured({ urlToLogo: broken });
    await hasFailed(id, 'broken', 1);
    expect((await read(id)).urlToLogo).toBe(broken);
    await ages(id, DAY_MS);
    await runScheduled();
    const { urlToLogo, importErrors } = await settled(id);
    expect([urlToLogo, importErrors]).toEqual([
      null,
      [{ field: 'urlToLogo', url: broken, message: expect.stringContaining('status 500') }],
    ]);
    expect(askedFor('broken')).toBe(2);
  });

  test('by language are merged by a partial update, and replaced by a replacement', async () => {
    const id = await createPictured({ localizedBackgroundImages: { de: url('de'), fr: url('fr') } });
    const languages = async () => Object.keys((await settled(id)).localizedBackgroundImages ?? {});
    expect(await languages()).toEqual(['de', 'fr']);
    const update = (localizedBackgroundImages: object | null) =>
      client.patch(`/api/v3/pass/${id}?async=false`, { data: { localizedBackgroundImages } });
    await update({ it: url('other') });
    expect(await languages()).toEqual(['de', 'fr', 'it']);
    await update({ de: null, fr: '' });
    expect(await languages()).toEqual(['it']);
    await client.post(`/api/v3/pass/${id}?async=false`, { data: { localizedBackgroundImages: { nl: url('nl') } } });
    expect(await languages()).toEqual(['nl']);
    await update(null);
    expect(await languages()).toEqual([]);
  });

  test('with an address of this service are kept without a fetch, even as the image of another pass', async () => {
    const first = await createPictured({ urlToThumbnail: url('own') });
    const { urlToThumbnail } = await settled(first);
    const second = await createPictured({ urlToThumbnail });
    expect((await settled(second)).urlToThumbnail).toBe(urlToThumbnail);
    expect(askedFor('own')).toBe(1);
  });
});

describe('values that follow a move', () => {
  let projectId: string;
  beforeAll(async () => {
    projectId = (await client.post('/api/v3/project', { name: 'Types' })).body.data.identifier;
  });
  type Properties = { name: string; type: 'text' | 'number' | 'checkbox' | 'select'; options?: string[] }[];
  const template = (additionalProperties: Properties, more: object = {}) =>
    client.createTemplate({ projectId, additionalProperties, ...more });
  const move = (id: string, target: string) => client.post(`/api/v2/pass/${id}/movetotemplate/${target}`);

  test('must match the target’s types; others are named, and nothing is moved', async () => {
    const from = await template([
      { name: 'Seat', type: 'text' },
      { name: 'Class', type: 'text' },
    ]);
    const to = await template([
      { name: 'Seat', type: 'number' },
      { name: 'Class', type: 'select', options: ['First', 'Second'] },
    ]);
    const { identifier } = await client.createPass(from, { Seat: 'window', Class: 'Third' });
    const refused = await move(identifier, to);
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      ['Seat: must be a number', 'Class: must be one of: First, Second'],
    ]);
    expect((await read(identifier)).templateId).toBe(from);
    await client.patch(`/api/v3/pass/${identifier}`, { data: { Seat: '12', Class: 'First' } });
    expect((await move(identifier, to)).status).toBe(200);
  });

  test('are converted to the target’s types: true to a text, a text to a checkbox', async () => {
    const [text, box] = [
      await template([{ name: 'Paid', type: 'text' }]),
      await template([{ name: 'Paid', type: 'checkbox' }]),
    ];
    const { identifier } = await client.createPass(box, { Paid: true });
    const paid = async () =>
      (await client.get(`/api/v3/pass/${identifier}?formatKeyAdditionalProperties=name`)).body.data.Paid;
    expect((await move(identifier, text)).status).toBe(200);
    expect(await paid()).toBe('true');
    expect((await move(identifier, box)).status).toBe(200);
    expect(await paid()).toBe(true);
  });

  test('matter for tiers, too: nothing of the update is saved', async () => {
    const gold = await template([{ name: 'Number', type: 'number' }]);
    const basic = await template([{ name: 'Number', type: 'text' }], {
      passFunctionality: { type: 'loyalty', tiers: [{ minimumValue: 100, templateId: gold }] },
    });
    const { identifier } = await client.createPass(basic, { Number: 'A-7' });
    const refused = await client.patch(`/api/v3/pass/${identifier}`, { data: { storedValue: 100 } });
    expect([refused.status, refused.body.errors.join()]).toEqual([
      400,
      expect.stringContaining('Number: must be a number'),
    ]);
    expect((await read(identifier)).storedValue).toBeNull();
  });
});
