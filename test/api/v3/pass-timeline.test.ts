import { beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, clientOf, freshAccount } from '../../support/api.ts';
import { costOf, d1, eventually } from '../../support/control.ts';
import { ended } from '../../support/processes.ts';
import { allPushed, type HeldPass, heldPass, pushed, relayedAccount } from '../../support/pushes.ts';
import { Device } from '../../wallets/apple/web-service/device.ts';

interface Entry {
  id: string;
  at: string;
  type: string;
  actor: { type: string; id: string | null; name: string | null } | null;
  changes: { field: string; new?: boolean }[];
  [member: string]: unknown;
}

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

const timeline = async (passId: string, query = '', as = client): Promise<Entry[]> =>
  (await as.get(`/api/v3/pass/${passId}/timeline${query}`)).body.data;
const typesOf = async (passId: string, as = client) => (await timeline(passId, '', as)).map(({ type }) => type);
const patch = ({ pass }: HeldPass, data: object, as = client) =>
  as.patch(`/api/v3/pass/${pass.identifier}?async=false`, { data });

/** Waits for an entry of a type, and returns the newest. */
const newest = (passId: string, type: string, as = client): Promise<Entry> =>
  eventually(async () => (await timeline(passId, '', as)).find((entry) => entry.type === type) ?? false);

describe('GET /api/v3/pass/{id}/timeline', () => {
  test('shows all steps of a change to a phone', async () => {
    const held = await heldPass(client, templateId);
    const { device, pass } = held;
    const { lastUpdated } = (await device.list()).body;
    await newest(pass.identifier, 'device_asked');
    await patch(held, { 'Full name': 'Ada', storedValue: 7 });
    await pushed(device);
    await allPushed(client);
    expect((await device.list(lastUpdated)).status).toBe(200);
    expect((await device.fetch(pass)).status).toBe(200);
    await newest(pass.identifier, 'file_downloaded');
    const entries = await timeline(pass.identifier);
    const types = ['file_downloaded', 'device_asked', 'push_answered', 'changed', 'device_asked', 'device_added'];
    expect(entries.map(({ type }) => type)).toEqual([...types, 'created']);
    const [downloaded, asked, answered, changed, , added] = entries;
    const [key] = await d1<{ id: string }>('select id from api_keys where account_id = ?', [client.accountId]);
    expect(changed).toEqual({
      id: expect.stringMatching(/^\d+-[0-9a-f]{16}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      type: 'changed',
      actor: { type: 'api_key', id: key!.id, name: 'Default' },
      changes: expect.toSatisfy((changes: Entry['changes']) =>
        ['Full name', 'storedValue'].every((field) => changes.some((one) => one.field === field)),
      ),
      version: 2,
      notifies: true,
    });
    const devices = { accepted: 1, unregistered: 0, refused: 0, postponed: 0 };
    expect(answered).toMatchObject({ wallet: 'apple', cause: 'change', devices, actor: null, changes: [] });
    expect(asked).toMatchObject({ device: added!.device, wallet: 'apple' });
    expect(added).toMatchObject({ device: expect.stringMatching(/^[0-9a-f]{8}$/), active: true });
    expect(downloaded).toMatchObject({ version: 2, templateVersion: 1, unchanged: false });
    expect(JSON.stringify(entries)).not.toContain(device.id);
  });

  test('shows that a device already has the version', async () => {
    const { pass, device } = await heldPass(client, templateId);
    const { headers } = await device.fetch(pass);
    await device.fetch(pass, { 'If-None-Match': headers.get('ETag')! });
    await eventually(async () => (await timeline(pass.identifier)).some((entry) => entry.unchanged === true));
  });

  test('shows the push service’s answer for each of several devices, with the reason', async () => {
    const far: Record<string, { outcome: string; reason?: string }> = {};
    const relayed = await relayedAccount((token) => far[token] ?? { outcome: 'sent' });
    const own = relayed.client;
    const [fine, gone, refused] = [0, 1, 2].map(() => new Device(relayed.passTypeId));
    const template = await own.createTemplate();
    const held = await heldPass(own, template, {}, fine!);
    await gone!.register(held.pass);
    await refused!.register(held.pass);
    far[gone!.pushToken] = { outcome: 'gone' };
    far[refused!.pushToken] = { outcome: 'refused', reason: 'TopicDisallowed' };
    await patch(held, { storedValue: 1 }, own);
    const answered = await newest(held.pass.identifier, 'push_answered', own);
    expect(answered).toMatchObject({
      devices: { accepted: 1, unregistered: 1, refused: 1, postponed: 0 },
      reason: 'TopicDisallowed',
    });
    expect(await typesOf(held.pass.identifier, own)).toContain('device_removed');
  });

  test('shows a postponed push as pending', async () => {
    const relayed = await relayedAccount(() => ({ outcome: 'retry', reason: 'Busy', afterSeconds: 600 }));
    const own = relayed.client;
    const held = await heldPass(own, await own.createTemplate(), {}, new Device(relayed.passTypeId));
    await patch(held, { storedValue: 1 }, own);
    const answered = await newest(held.pass.identifier, 'push_answered', own);
    expect(answered).toMatchObject({ devices: { accepted: 0, postponed: 1 }, reason: 'Busy' });
    expect(await newest(held.pass.identifier, 'push_pending', own)).toMatchObject({ wallet: 'apple' });
    // The change has an entry with its actor, although nobody was notified.
    expect(await newest(held.pass.identifier, 'changed', own)).toMatchObject({
      actor: { name: 'Default' },
      changes: [{ field: 'storedValue' }],
    });
  });

  test('shows changes of a pass that no device has, including voids, bundles and bulk operations', async () => {
    const [one, two] = [await client.createPass(templateId), await client.createPass(templateId)];
    const passes = [one.identifier, two.identifier];
    await client.put(`/api/pass/${one.identifier}`, { voided: true });
    await client.put(`/api/pass/${one.identifier}`, { voided: false });
    await client.post('/api/v2/pass-bundle', { passes });
    const bulk = { data: { storedValue: 3 }, filter: { identifiers: passes } };
    await ended(client, await client.patch('/api/v3/pass/bulk', bulk));
    const changes = await eventually(async () => {
      const found = (await timeline(one.identifier)).filter(({ type }) => type === 'changed');
      return found.length === 4 && found;
    });
    expect(changes.map((entry) => entry.changes)).toEqual([
      [{ field: 'storedValue' }],
      [{ field: 'bundleId' }],
      [{ field: 'voided', new: false }],
      [{ field: 'voided', new: true }],
    ]);
    expect(new Set(changes.map(({ actor }) => actor?.name))).toEqual(new Set(['Default']));
    expect(changes.map(({ version }) => version)).toEqual([5, 4, 3, 2]);
  });

  test('shows each of 20 simultaneous changes once, with its version', async () => {
    const held = await heldPass(client, templateId);
    const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => patch(held, { storedValue: i + 1 })));
    const written = replies.filter(({ status }) => status === 200).length;
    await allPushed(client);
    const changes = (await timeline(held.pass.identifier)).filter(({ type }) => type === 'changed');
    const versions = changes.map(({ version }) => version as number);
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: written }, (_, i) => i + 2));
  });

  test('shows a push to many passes, and a published template', async () => {
    const template = await client.createTemplate();
    const held = await heldPass(client, template);
    const [listOfPasses, pushNotificationText] = [[held.pass.identifier], 'Doors open'];
    await client.post('/api/pass/sendpushnotifications', { listOfPasses, pushNotificationText });
    expect(await newest(held.pass.identifier, 'push_answered')).toMatchObject({ cause: 'text' });
    await allPushed(client);
    await client.patch(`/api/v2/pass-template/${template}`, { colors: { backgroundColor: '#123456' } });
    await client.post(`/api/v2/pass-template/${template}/publish`);
    expect(await newest(held.pass.identifier, 'template_published')).toMatchObject({ templateVersion: 2 });
    const told = await eventually(async () =>
      (await timeline(held.pass.identifier)).find(({ cause }) => cause === 'template'),
    );
    expect(told).toMatchObject({ type: 'push_answered', templateVersion: 2 });
  });

  test('is paged newest first by startUid, and rejects an unknown one', async () => {
    const held = await heldPass(client, templateId);
    for (const storedValue of [1, 2, 3, 4, 5]) await patch(held, { storedValue });
    await allPushed(client);
    const all = await timeline(held.pass.identifier);
    expect(all.length).toBeGreaterThan(7);
    const paged: Entry[] = [];
    for (;;) {
      const start = paged.length > 0 ? `&startUid=${paged.at(-1)!.id}` : '';
      const page = await timeline(held.pass.identifier, `?pageSize=3${start}`);
      if (page.length === 0) break;
      paged.push(...page);
    }
    expect(paged).toEqual(all);
    const path = `/api/v3/pass/${held.pass.identifier}/timeline` as const;
    for (const [query, field] of [
      ['pageSize=0', 'pageSize'],
      ['pageSize=101', 'pageSize'],
      ['startUid=x', 'startUid'],
    ]) {
      const reply = await client.get(`${path}?${query}`);
      expect([reply.status, JSON.stringify(reply.body.errors)]).toEqual([400, expect.stringContaining(field!)]);
    }
  });

  test('accepts each name of the pass, and treats a foreign one like an unknown one', async () => {
    const stranger = await freshAccount();
    const pass = await client.createPass(templateId, { userProvidedId: crypto.randomUUID() });
    const reply = await client.get(`/api/v3/pass/${pass.identifier}/timeline`);
    expect(reply.body).toMatchObject({ count: 1, data: [{ type: 'created', actor: null, changes: [] }] });
    const foreign = await stranger.get(`/api/v3/pass/${pass.identifier}/timeline`);
    const unknown = await stranger.get(`/api/v3/pass/${crypto.randomUUID()}/timeline`);
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.body.description).toBe(unknown.body.description);
  });

  test('needs the scope passes:read', async () => {
    const { apiKey } = await admin<{ apiKey: string }>('api-key create', {
      account: client.accountId,
      name: 'Templates',
      scope: ['templates:read'],
    });
    const pass = await client.createPass(templateId);
    const reply = await clientOf(client.accountId, apiKey).get(`/api/v3/pass/${pass.identifier}/timeline`);
    expect([reply.status, reply.body.errors]).toEqual([403, ['missing scope: passes:read']]);
  });

  test('costs one round trip besides checking the key, and only the page’s rows', async () => {
    const held = await heldPass(client, templateId);
    await patch(held, { storedValue: 2 });
    await allPushed(client);
    const cost = await costOf(await client.get(`/api/v3/pass/${held.pass.identifier}/timeline`));
    // One more to name users other than the caller.
    expect(cost.roundTrips).toBe(2);
    expect(cost.rowsWritten).toBe(0);
    expect(cost.rowsRead).toBeLessThanOrEqual(60);
  });

  test('is deleted with the pass', async () => {
    const pass = await client.createPass(templateId);
    await client.patch(`/api/v3/pass/${pass.identifier}?async=false`, { data: { storedValue: 2 } });
    const rows = () =>
      d1('select 1 from pass_facts join passes on passes.key = pass_key where passes.id = ?', [pass.identifier]);
    expect(await rows()).toHaveLength(1);
    const [{ key } = { key: 0 }] = await d1<{ key: number }>('select key from passes where id = ?', [pass.identifier]);
    await client.delete(`/api/pass/${pass.identifier}`);
    expect(await d1('select 1 from pass_facts where pass_key = ?', [key], client)).toEqual([]);
  });
});
