import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, type CreatedPass, freshAccount } from '../../support/api.ts';
import { costOf, d1 } from '../../support/control.ts';
import { COPIED_PASS, copyRow } from '../../support/copy-row.ts';

let client: Client;
let templateId: string;

beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

function createPasses(count: number): Promise<CreatedPass[]> {
  return Promise.all(Array.from({ length: count }, () => client.createPass(templateId)));
}

async function identifiers(count: number): Promise<string[]> {
  return (await createPasses(count)).map(({ identifier }) => identifier);
}

const add = (bundleId: string, passes: unknown) =>
  client.post(`/api/v2/pass-bundle/${encodeURIComponent(bundleId)}`, { passes });
const members = async (bundleId: string): Promise<string[]> =>
  (await client.get(`/api/v2/pass-bundle/${encodeURIComponent(bundleId)}`)).body.data.passes;
const newId = () => `bundle-${crypto.randomUUID()}`;

interface EventRow {
  type: string;
  pass_id: string;
}

/** Returns these passes' events since they were created. */
function eventsOf(ids: string[]): Promise<EventRow[]> {
  return d1<EventRow>(
    `select type, pass_id from account_events where type <> 'pass_created' and pass_id in (select value from json_each(?)) order by id`,
    [JSON.stringify(ids)],
  );
}

describe('a bundle', () => {
  test('is created under a random identifier', async () => {
    const passes = await identifiers(2);
    const reply = await client.post('/api/v2/pass-bundle', { passes });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ success: true, errors: [], statusCode: 200 });
    const { bundleId, urlToPass } = reply.body.data;
    expect(Object.keys(reply.body.data)).toEqual(['bundleId', 'urlToPass']);
    expect(urlToPass).toMatch(/\/p\/[\w-]{25}$/);
    expect((await members(bundleId)).sort()).toEqual(passes.sort());
    const other = await client.post('/api/v2/pass-bundle', { passes });
    expect(other.body.data.bundleId).not.toBe(bundleId);
    expect(other.body.data.urlToPass).not.toBe(urlToPass);
  });

  test('accepts any text as the caller’s identifier', async () => {
    const id = `order 47/11 ü ${crypto.randomUUID()}`;
    const passes = await identifiers(1);
    const { body } = await add(id, passes);
    expect(body.data.bundleId).toBe(id);
    expect(await members(id)).toEqual(passes);
    expect((await add('x'.repeat(501), passes)).status).toBe(400);
  });

  test('can be called “void”', async () => {
    const passes = await identifiers(1);
    await add('void', passes);
    expect(await members('void')).toEqual(passes);
    expect((await client.delete('/api/v2/pass-bundle/void')).status).toBe(200);
  });

  test('gets further passes, and keeps its link', async () => {
    const id = newId();
    const [first, second] = await identifiers(2);
    const before = await add(id, [first]);
    const after = await add(id, [first, second]);
    expect(after.body.data).toEqual(before.body.data);
    expect(await members(id)).toEqual([first, second].sort());
  });

  test('accepts a pass by each of its four names', async () => {
    const id = newId();
    const made = await Promise.all([
      client.createPass(templateId),
      client.createPass(templateId, { userProvidedId: 'bundled user' }),
      client.createPass(templateId, { barcodeValue: 'bundled code' }),
      client.createPass(templateId, { barcodeValue: 'bundled other code' }),
    ]);
    const ids = made.map(({ identifier }) => identifier);
    const { generatedId } = (await client.get(`/api/pass/${ids[3]}`)).body;
    const reply = await add(id, [ids[0], 'bundled user', 'bundled code', generatedId, ids[1]]);
    expect(reply.status).toBe(200);
    expect(await members(id)).toEqual(ids.sort());
  });

  test('rejects an unknown and a foreign pass by name, and changes nothing', async () => {
    const id = newId();
    const stranger = await freshAccount();
    const foreign = await stranger.createPass(await stranger.createTemplate());
    const [mine] = await identifiers(1);
    const reply = await add(id, [mine, 'nobody', foreign.identifier]);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ success: false, data: [], statusCode: 400 });
    expect(reply.body.errors.join()).toContain('nobody');
    expect(reply.body.errors.join()).toContain(foreign.identifier);
    expect(reply.body.errors.join()).not.toContain(mine);
    expect((await client.get(`/api/v2/pass-bundle/${id}`)).status).toBe(404);
    expect(await eventsOf([mine!])).toEqual([]);
  });

  test.each([
    ['absent', undefined],
    ['null', null],
    ['a text', 'one'],
    ['empty', []],
    ['numbers', [1]],
    ['eleven', Array.from({ length: 11 }, (_, i) => `pass ${i}`)],
  ])('rejects passes that are %s', async (_, passes) => {
    for (const path of ['/api/v2/pass-bundle', `/api/v2/pass-bundle/${newId()}`] as const) {
      const reply = await client.post(path, { passes });
      expect(reply.status).toBe(400);
      expect(reply.body.errors[0]).toMatch(/^passes/);
    }
  });

  test('is a different one in another account', async () => {
    const id = newId();
    await add(id, await identifiers(1));
    const stranger = await freshAccount();
    expect((await stranger.get(`/api/v2/pass-bundle/${id}`)).status).toBe(404);
    expect((await stranger.put(`/api/v2/pass-bundle/void/${id}`, { voided: true })).status).toBe(404);
    expect((await stranger.delete(`/api/v2/pass-bundle/${id}`)).status).toBe(404);
    const own = await stranger.createPass(await stranger.createTemplate());
    await stranger.post(`/api/v2/pass-bundle/${id}`, { passes: [own.identifier] });
    expect((await stranger.get(`/api/v2/pass-bundle/${id}`)).body.data.passes).toEqual([own.identifier]);
    expect(await members(id)).toHaveLength(1);
  });
});

describe('membership', () => {
  test('is a change of the pass: a version, an event, and what reads show', async () => {
    const id = newId();
    const [pass] = await createPasses(1);
    const before = (await client.get(`/api/v3/pass/${pass!.identifier}`)).body.data;
    const { urlToPass } = (await add(id, [pass!.identifier])).body.data;
    const after = (await client.get(`/api/v3/pass/${pass!.identifier}`)).body.data;
    expect(after).toMatchObject({ bundleId: id, downloadPage: urlToPass, linkToPassPage: urlToPass });
    expect(after.passFileUri).toBe(before.passFileUri);
    expect(after.modifiedOn > before.modifiedOn).toBe(true);
    expect(await eventsOf([pass!.identifier])).toEqual([{ type: 'pass_updated', pass_id: pass!.identifier }]);
    await add(id, [pass!.identifier]);
    expect(await eventsOf([pass!.identifier])).toHaveLength(1);
  });

  test('is limited to one bundle: a pass that joins another leaves its own', async () => {
    const [from, to] = [newId(), newId()];
    const [moving, staying] = await identifiers(2);
    await add(from, [moving, staying]);
    await add(to, [moving]);
    expect(await members(from)).toEqual([staying]);
    expect(await members(to)).toEqual([moving]);
  });

  test('can also be set by the field bundleId, and all share one download link', async () => {
    const id = newId();
    const [first] = await identifiers(1);
    const { urlToPass } = (await add(id, [first])).body.data;
    const created = await client.post('/api/v3/pass', { data: { templateId, bundleId: id } });
    expect(created.body.data).toMatchObject({ bundleId: id, downloadPage: urlToPass });
    const v1 = await client.createPass(templateId, { bundleId: id });
    expect(v1.linkToPassPage).toBe(urlToPass);
    const [second] = await identifiers(1);
    const patched = await client.patch(`/api/v3/pass/${second}`, { data: { bundleId: id } });
    expect(patched.body.data).toMatchObject({ bundleId: id, downloadPage: urlToPass });
    expect(await members(id)).toHaveLength(4);
    const replaced = await client.post(`/api/v3/pass/${second}`, { data: { storedValue: 1 } });
    expect(replaced.body.data).toMatchObject({ bundleId: id, downloadPage: urlToPass });
    const left = await client.patch(`/api/v3/pass/${second}`, { data: { bundleId: null } });
    expect(left.body.data.bundleId).toBeNull();
    expect(left.body.data.downloadPage).not.toBe(urlToPass);
    expect(await members(id)).toHaveLength(3);
  });

  test('can start with the field, and the bundle’s link is its first pass’s', async () => {
    const id = newId();
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => client.post('/api/v3/pass', { data: { templateId, bundleId: id } })),
    );
    const links = new Set(replies.map(({ body }) => body.data.downloadPage));
    expect(links.size).toBe(1);
    const [another] = await identifiers(1);
    expect([...links]).toEqual([(await add(id, [another])).body.data.urlToPass]);
  });

  test('ends with the pass', async () => {
    const id = newId();
    const [first, second] = await identifiers(2);
    await add(id, [first, second]);
    await client.delete(`/api/pass/${first}`);
    expect(await members(id)).toEqual([second]);
    await client.delete(`/api/pass/${second}`);
    expect((await client.get(`/api/v2/pass-bundle/${id}`)).status).toBe(404);
  });
});

describe('the rule of ten', () => {
  test('rejects an eleventh pass, whichever way it is added', async () => {
    const id = newId();
    const ids = await identifiers(12);
    expect((await add(id, ids.slice(0, 8))).status).toBe(200);
    const tooMany = await add(id, ids.slice(8, 11));
    expect(tooMany.status).toBe(400);
    expect(tooMany.body.errors[0]).toMatch(/at most 10/);
    expect(await members(id)).toHaveLength(8);
    expect((await add(id, ids.slice(0, 10))).status).toBe(200);
    expect((await add(id, [ids[10]])).status).toBe(400);
    expect((await client.patch(`/api/v3/pass/${ids[10]}`, { data: { bundleId: id } })).status).toBe(400);
    expect((await client.post('/api/v3/pass', { data: { templateId, bundleId: id } })).status).toBe(400);
    expect(await members(id)).toEqual(ids.slice(0, 10).sort());
  });

  test('holds if a hundred passes join at once: ten are added, ninety are rejected with the reason', async () => {
    const id = newId();
    const ids = await identifiers(100);
    const replies = await Promise.all(ids.map((pass) => add(id, [pass])));
    const refused = replies.filter(({ status }) => status === 400);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(refused).toHaveLength(90);
    for (const { body } of refused) expect(body.errors[0]).toMatch(/at most 10/);
    expect(await members(id)).toHaveLength(10);
    expect(await eventsOf(ids)).toHaveLength(10);
  });

  test('holds if passes join through their bundle and through their field at once', async () => {
    const id = newId();
    const ids = await identifiers(30);
    const replies = await Promise.all(
      ids.map((pass, i) =>
        i % 2 ? add(id, [pass]) : client.patch(`/api/v3/pass/${pass}`, { data: { bundleId: id } }),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(20);
    expect(await members(id)).toHaveLength(10);
  });
});

describe('voiding a bundle', () => {
  const setVoided = (id: string, voided: unknown) => client.put(`/api/v2/pass-bundle/void/${id}`, { voided });

  test('voids and restores all its passes, each with an event', async () => {
    const id = newId();
    const ids = (await identifiers(3)).sort();
    await client.put(`/api/pass/${ids[1]}`, { voided: true });
    await add(id, ids);
    const done = (await eventsOf(ids)).length;
    const voided = await setVoided(id, true);
    expect(voided.status).toBe(200);
    expect(voided.body).toMatchObject({
      success: true,
      description: expect.stringMatching(/void/i),
      data: { passes: ids },
    });
    const states = async () =>
      Promise.all(ids.map(async (pass) => (await client.get(`/api/pass/${pass}`)).body.voided));
    expect(await states()).toEqual([true, true, true]);
    // The pass that was voided before stays unchanged.
    const events = (await eventsOf(ids)).slice(done);
    expect(events.map(({ type }) => type)).toEqual(['pass_voided', 'pass_voided']);
    expect(events.map(({ pass_id }) => pass_id).sort()).toEqual([ids[0], ids[2]]);

    expect((await setVoided(id, true)).body.data.passes).toEqual(ids);
    expect(await eventsOf(ids)).toHaveLength(done + 2);

    const valid = await setVoided(id, false);
    expect(valid.body.description).toMatch(/restored/i);
    expect(valid.body.data.passes).toEqual(ids);
    expect(await states()).toEqual([false, false, false]);
    const redeemed = await d1('select redeemed from passes where id in (?, ?, ?)', ids);
    expect(redeemed).toEqual(Array(3).fill({ redeemed: 0 }));
    const unvoided = (await eventsOf(ids)).slice(done + 2);
    expect(unvoided.map(({ type }) => type)).toEqual(Array(3).fill('pass_unvoided'));
  });

  test('raises version and time of what changes', async () => {
    const id = newId();
    const [pass] = await identifiers(1);
    await add(id, [pass]);
    const row = async () =>
      (
        await d1<{ version: number; modified_at: number }>('select version, modified_at from passes where id = ?', [
          pass,
        ])
      )[0]!;
    const before = await row();
    await setVoided(id, true);
    const after = await row();
    expect(after.version).toBe(before.version + 1);
    expect(after.modified_at - before.modified_at).toBeGreaterThanOrEqual(1_000);
  });

  test('voids each pass once if requested many times at once', async () => {
    const id = newId();
    const ids = await identifiers(3);
    await add(id, ids);
    await Promise.all(Array.from({ length: 20 }, () => setVoided(id, true)));
    const voids = (await eventsOf(ids)).filter(({ type }) => type === 'pass_voided');
    expect(voids).toHaveLength(3);
  });

  test.each([undefined, null, 'true', 1])('rejects voided: %s', async (voided) => {
    const id = newId();
    await add(id, await identifiers(1));
    const reply = await setVoided(id, voided);
    expect(reply.status).toBe(400);
    expect(reply.body.errors[0]).toMatch(/^voided/);
  });

  test('does not find an unknown bundle', async () => {
    const reply = await setVoided(newId(), true);
    expect(reply.status).toBe(404);
    expect(reply.body).toMatchObject({ success: false, data: [], statusCode: 404 });
  });
});

describe('deleting a bundle', () => {
  test('removes the grouping and keeps the passes', async () => {
    const id = newId();
    const ids = await identifiers(2);
    await add(id, ids);
    const reply = await client.delete(`/api/v2/pass-bundle/${id}`);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ success: true, errors: [], data: [], statusCode: 200 });
    for (const pass of ids) {
      const { body } = await client.get(`/api/v3/pass/${pass}`);
      expect(body.data.bundleId).toBeNull();
    }
    expect((await client.get(`/api/v2/pass-bundle/${id}`)).status).toBe(404);
    const again = await client.delete(`/api/v2/pass-bundle/${id}`);
    expect(again.status).toBe(404);
    expect(again.body).toMatchObject({ success: false, data: [], statusCode: 404 });
  });

  test('succeeds once if requested many times at once', async () => {
    const id = newId();
    await add(id, await identifiers(3));
    const replies = await Promise.all(Array.from({ length: 10 }, () => client.delete(`/api/v2/pass-bundle/${id}`)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
  });
});

describe('an operation on a bundle', () => {
  /** Returns the round trips and rows read of adding, reading, voiding and deleting. */
  async function costs() {
    const id = newId();
    const ids = await identifiers(10);
    const replies = [
      await add(id, ids),
      await client.get(`/api/v2/pass-bundle/${id}`),
      await client.put(`/api/v2/pass-bundle/void/${id}`, { voided: true }),
      await client.delete(`/api/v2/pass-bundle/${id}`),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    return Promise.all(replies.map(costOf));
  }

  test('takes four round trips at most, and rows for its own passes at any size of the table', async () => {
    const before = await costs();
    await multiply((await identifiers(1))[0]!, 2_000);
    const after = await costs();
    for (const [i, { roundTrips, rowsRead }] of after.entries()) {
      expect(roundTrips).toBeLessThanOrEqual(4);
      expect(rowsRead).toBeLessThanOrEqual(before[i]!.rowsRead + 10);
      // Three per pass find its timeline.
      expect(rowsRead).toBeLessThanOrEqual(430);
    }
  });

  test('is consistent with its own write if the bookmark is sent back', async () => {
    const id = newId();
    const reply = await add(id, await identifiers(1));
    const bookmark = reply.headers.get('X-D1-Bookmark')!;
    const [row] = await d1<{ id: string }>('select id from passes where bundle_id = ?', [id], client);
    expect(row).toBeDefined();
    const later = await client.get(`/api/v2/pass-bundle/${id}`, { 'X-D1-Bookmark': bookmark });
    expect(later.body.data.passes).toEqual([row!.id]);
    expect(later.headers.get('X-D1-Bookmark')! >= bookmark).toBe(true);
  });
});

/** Copies a pass many times, each in its own bundle. */
async function multiply(id: string, rows: number): Promise<void> {
  const own = { ...COPIED_PASS, bundle_id: "'crowd-' || numbers.value" };
  await copyRow(d1, { table: 'passes', where: 'id = ?', params: [id], rows, own });
}
