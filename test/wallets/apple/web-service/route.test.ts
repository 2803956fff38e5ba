import { beforeAll, describe, expect, inject, test } from 'vitest';
import { shardOf } from '../../../../src/platform/ids.ts';
import { webServicePath } from '../../../../src/wallets/apple/pass-file-cache.ts';
import { type Client, type CreatedPass, clientOf, freshAccount, send } from '../../../support/api.ts';
import {
  allLogged,
  costOf,
  d1,
  eventually,
  logged,
  runScheduled,
  sendJobs,
  storedKeys,
} from '../../../support/control.ts';
import { recordedEvents } from '../../../support/event-bodies.ts';
import { heldPass, pushed, pushesTo } from '../../../support/pushes.ts';
import { PASS_TYPE_ID } from '../../../support/start-worker.ts';
import { deviceEventsOf, countsOf as passCounts } from '../../pass-events.ts';
import { unzip } from '../tools.ts';
import { authorizationOf, Device } from './device.ts';

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

const newPass = () => client.createPass(templateId, { 'Full name': 'Ada' });
const devices = (count: number) => Array.from({ length: count }, () => new Device());
const statuses = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();

const countsOf = (pass: CreatedPass) => passCounts(client, pass);
const rowsOf = async ({ identifier }: CreatedPass) => {
  const [row] = await d1<{ active: number; inactive: number }>(
    'select count(*) filter (where ended_at is null) as active, count(ended_at) as inactive from registrations where pass_id = ?',
    [identifier],
  );
  return [row!.active, row!.inactive];
};
const typesOf = async (pass: CreatedPass) => (await deviceEventsOf(pass)).map(({ type }) => type);
const activeByTemplate = async (accountId: string) =>
  (
    await d1<{ active: number }>('select active from active_pass_counts where account_id = ? order by template_id', [
      accountId,
    ])
  ).map(({ active }) => active);
const jobsOf = ({ identifier }: CreatedPass) => allLogged({ event: 'job', job: 'push-to-device', subject: identifier });
const tagOf = async (device: Device) => (await device.list()).body.lastUpdated as string;

describe('the whole life of a pass on a device', () => {
  test('follows what pass.json says', async () => {
    const created = await newPass();
    const device = new Device();
    const file = await send('GET', created.linkToPassFile as '/');
    const pass = JSON.parse(unzip(file.body).get('pass.json')!.toString());
    const headers = { Authorization: `ApplePass ${pass.authenticationToken}` };
    const origin = `${pass.webServiceURL}/v1` as 'http://';
    expect(origin).toBe(`${inject('worker').origin}${webServicePath(shardOf(created.identifier))}/v1`);
    const library = `${origin}/devices/${device.id}/registrations/${pass.passTypeIdentifier}` as const;
    const own = `${library}/${pass.serialNumber}` as const;
    const latest = `${origin}/passes/${pass.passTypeIdentifier}/${pass.serialNumber}` as const;

    const { pushToken } = device;
    const registered = await send('POST', own, { pushToken }, headers);
    expect([registered.status, registered.body]).toEqual([201, undefined]);
    const first = await send('GET', library);
    expect([first.status, first.body]).toEqual([
      200,
      { serialNumbers: [pass.serialNumber], lastUpdated: expect.stringMatching(/./) },
    ]);
    const since = `${library}?passesUpdatedSince=${first.body.lastUpdated}` as const;
    const none = await send('GET', since);
    expect([none.status, none.body]).toEqual([204, undefined]);

    await client.put(`/api/pass/${pass.serialNumber}`, { voided: true });
    const changed = await send('GET', since);
    expect([changed.status, changed.body.serialNumbers]).toEqual([200, [pass.serialNumber]]);
    expect(typeof changed.body.lastUpdated).toBe('string');
    const known = { ...headers, 'If-Modified-Since': file.headers.get('Last-Modified')! };
    const fetched = await send('GET', latest, undefined, known);
    expect([fetched.status, fetched.headers.get('Content-Type')]).toEqual([200, 'application/vnd.apple.pkpass']);
    expect(JSON.parse(unzip(fetched.body).get('pass.json')!.toString())).toMatchObject({
      serialNumber: pass.serialNumber,
      authenticationToken: pass.authenticationToken,
      voided: true,
    });
    const left = await send('DELETE', own, undefined, headers);
    expect([left.status, left.body]).toEqual([200, undefined]);
    expect((await send('GET', library)).status).toBe(204);
  });
});

describe('registering', () => {
  test('counts the device, creates two events, and dates the first download', async () => {
    const pass = await newPass();
    expect((await new Device().register(pass)).status).toBe(201);
    expect((await new Device().register(pass)).status).toBe(201);
    expect(await countsOf(pass)).toEqual([2, 0]);
    const [registered, first, second, ...more] = await deviceEventsOf(pass);
    expect(more).toEqual([]);
    const created = await recordedEvents("pass_id = ? and type = 'pass_created'", [pass.identifier]);
    const nine = created[0]!.body;
    expect(Object.keys(nine)).toHaveLength(9);
    const facts = { ...nine, operatingSystem: 'iOS', noOfActivePasses: 1, noOfInactivePasses: 0 };
    expect(registered).toEqual({ type: 'pushnotification_registered', ...facts });
    expect(first).toEqual({ type: 'first_pushnotification_registered', ...facts });
    expect(second).toEqual({ type: 'pushnotification_registered', ...facts, noOfActivePasses: 2 });
    const { body } = await client.get(`/api/v3/pass/${pass.identifier}`);
    expect(body.data.firstDownloadedAt).toMatch(/^\d{4}-/);
  });

  test('changes neither version nor modifiedOn of the pass', async () => {
    const pass = await newPass();
    const state = () => d1('select version, modified_at from passes where id = ?', [pass.identifier]);
    const before = await state();
    const device = new Device();
    await device.register(pass);
    await device.unregister(pass);
    expect(await state()).toEqual(before);
  });

  // registrations.test.ts does this a thousand times, at a tenth of the processor time each.
  test('a hundred times at once is one registration', async () => {
    const pass = await newPass();
    const device = new Device();
    const replies = await Promise.all(Array.from({ length: 100 }, () => device.register(pass)));
    expect(statuses(replies)).toEqual([...Array(99).fill(200), 201]);
    expect([await countsOf(pass), await rowsOf(pass)]).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(await typesOf(pass)).toEqual(['pushnotification_registered', 'first_pushnotification_registered']);
  });

  test('keeps the newest push token, for all passes of the device', async () => {
    const [one, two] = [await newPass(), await newPass()];
    const device = new Device();
    await device.register(one);
    await device.register(two);
    expect((await device.register(one, 'f00d')).status).toBe(200);
    const tokens = await d1('select push_token from registrations where device_id = ?', [device.id], client);
    expect(tokens).toEqual([{ push_token: 'f00d' }, { push_token: 'f00d' }]);
  });

  test('with an outdated file notifies only the new device', async () => {
    const first = await heldPass(client, templateId);
    const pass = first.pass;
    await client.put(`/api/pass/${pass.identifier}`, { voided: true });
    await pushed(first.device);
    const late = new Device();
    expect((await late.register(pass)).status).toBe(201);
    expect(await pushed(late)).toEqual([
      { to: late.pushToken, topic: PASS_TYPE_ID, text: '', passId: pass.identifier },
    ]);
    expect(await pushesTo(first.device)).toHaveLength(1);
    // Delivered twice by the queue, and for a device that has left meanwhile: no other device is notified.
    const left = new Device();
    const job = { type: 'push-to-device', passId: pass.identifier, passTypeId: PASS_TYPE_ID } as const;
    await sendJobs(
      [late, left].map(({ id }) => ({ ...job, deviceId: id })),
      client,
    );
    await pushed(late, 2);
    await eventually(async () => (await jobsOf(pass)).length === 3);
    expect([await pushesTo(left), await pushesTo(first.device)]).toEqual([[], [expect.anything()]]);
  });

  test('for a pass whose template was published since notifies the device, too', async () => {
    const published = await client.createTemplate();
    const pass = await client.createPass(published);
    const before = new Device();
    await before.register(pass);
    await client.patch(`/api/v2/pass-template/${published}`, { logoText: 'New' });
    await client.post(`/api/v2/pass-template/${published}/publish`);
    // A device that registers before the publication's pushes are sent gets one of them, too.
    await pushed(before);
    const device = new Device();
    await device.register(pass);
    expect(await pushed(device)).toHaveLength(1);
  });

  test('for an unchanged pass notifies nobody', async () => {
    const pass = await newPass();
    const device = new Device();
    await device.register(pass);
    await device.register(pass, 'f00d');
    const changed = await newPass();
    await client.put(`/api/pass/${changed.identifier}`, { voided: true });
    await device.register(changed);
    await eventually(async () => (await jobsOf(changed)).length === 1);
    expect(await jobsOf(pass)).toEqual([]);
  });

  test('of 50 devices at once counts each exactly, and reports one as the first', async () => {
    const pass = await newPass();
    const replies = await Promise.all(devices(50).map((device) => device.register(pass)));
    expect(statuses(replies)).toEqual(Array(50).fill(201));
    expect([await countsOf(pass), await rowsOf(pass)]).toEqual([
      [50, 0],
      [50, 0],
    ]);
    const events = await deviceEventsOf(pass);
    const registered = events.filter(({ type }) => type === 'pushnotification_registered');
    expect(registered.map(({ noOfActivePasses }) => noOfActivePasses)).toEqual(
      Array.from({ length: 50 }, (_, i) => i + 1),
    );
    expect(events.filter(({ type }) => type === 'first_pushnotification_registered')).toHaveLength(1);
  });

  test('and leaving in a race keep counts, rows and events consistent', async () => {
    const pass = await newPass();
    const some = devices(5);
    await Promise.all(
      some.flatMap((device) => [
        ...Array.from({ length: 5 }, () => device.register(pass)),
        ...Array.from({ length: 5 }, () => device.unregister(pass)),
      ]),
    );
    expect(await countsOf(pass)).toEqual(await rowsOf(pass));
    const [active, inactive] = await rowsOf(pass);
    expect(active! + inactive!).toBe(5);
    const types = await typesOf(pass);
    const count = (type: string) => types.filter((one) => one === type).length;
    expect(count('pushnotification_registered') - count('pushnotification_unregistered')).toBe(active);
    expect(count('first_pushnotification_registered')).toBe(1);
  });

  test('requires the pass’s token', async () => {
    const [pass, other] = [await newPass(), await newPass()];
    const path = `${new Device().path()}/${pass.identifier}` as const;
    const body = { pushToken: 'f00d' };
    const { Authorization } = await authorizationOf(pass);
    const wrong = [
      {},
      { Authorization: client.apiKey },
      { Authorization: Authorization.replace('ApplePass ', '') },
      { Authorization: Authorization.slice(0, -1) },
      await authorizationOf(other),
    ];
    for (const headers of wrong) {
      const reply = await send('POST', path, body, headers as Record<string, string>);
      expect([reply.status, typeof reply.body]).toEqual([401, 'string']);
      expect((await send('DELETE', path, undefined, headers as Record<string, string>)).status).toBe(401);
    }
    expect(await rowsOf(pass)).toEqual([0, 0]);
  });

  test.each([
    ['no JSON', 'pushToken'],
    ['no token', {}],
    ['an empty token', { pushToken: '' }],
    ['a token that is no text', { pushToken: 7 }],
    ['a token with a path in it', { pushToken: '../../3/device' }],
    ['a token beyond measure', { pushToken: 'a'.repeat(257) }],
  ])('with %s is rejected (400) with a clear message', async (_, body) => {
    const pass = await newPass();
    const reply = await send('POST', `${new Device().path()}/${pass.identifier}`, body, await authorizationOf(pass));
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([400, expect.stringContaining('text/plain')]);
    expect(await rowsOf(pass)).toEqual([0, 0]);
  });

  test('with a body beyond 4 KB is rejected (413)', async () => {
    const pass = await newPass();
    const body = { pushToken: 'f00d', more: 'x'.repeat(4_096) };
    const reply = await send('POST', `${new Device().path()}/${pass.identifier}`, body, await authorizationOf(pass));
    expect(reply.status).toBe(413);
  });

  test('needs well-formed names, an existing pass, and its pass type', async () => {
    const pass = await newPass();
    const headers = await authorizationOf(pass);
    const register = async (device: string, passType: string, serial: string) =>
      (
        await send(
          'POST',
          `/wallet/apple/v1/devices/${device}/registrations/${passType}/${serial}`,
          { pushToken: 'f00d' },
          headers,
        )
      ).status;
    const { identifier } = pass;
    expect(await register('a'.repeat(129), PASS_TYPE_ID, identifier)).toBe(400);
    expect(await register('a%20b', PASS_TYPE_ID, identifier)).toBe(400);
    expect(await register('device', 'com.example.test', identifier)).toBe(400);
    expect(await register('device', PASS_TYPE_ID, 'serial')).toBe(404);
    expect(await register('device', PASS_TYPE_ID, identifier.replace(/^......../, '00000000'))).toBe(404);
    expect(await register('device', 'pass.com.example.other', identifier)).toBe(404);
    expect(await rowsOf(pass)).toEqual([0, 0]);
  });
});

describe('leaving', () => {
  test('makes the pass inactive once, and registering again makes it active', async () => {
    const pass = await newPass();
    const device = new Device();
    await device.register(pass);
    const replies = await Promise.all(Array.from({ length: 20 }, () => device.unregister(pass)));
    expect(statuses(replies)).toEqual(Array(20).fill(200));
    expect([await countsOf(pass), await rowsOf(pass)]).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(await d1('select push_token from registrations where device_id = ?', [device.id], client)).toEqual([
      { push_token: null },
    ]);
    expect((await device.register(pass)).status).toBe(201);
    expect(await countsOf(pass)).toEqual([1, 0]);
    const told = await deviceEventsOf(pass);
    expect(
      told.map(({ type, noOfActivePasses, noOfInactivePasses }) => [type, noOfActivePasses, noOfInactivePasses]),
    ).toEqual([
      ['pushnotification_registered', 1, 0],
      ['first_pushnotification_registered', 1, 0],
      ['pushnotification_unregistered', 0, 1],
      ['pushnotification_registered', 1, 0],
    ]);
  });

  test('without a registration is no error and no event', async () => {
    const pass = await newPass();
    expect((await new Device().unregister(pass)).status).toBe(200);
    expect([await countsOf(pass), await typesOf(pass)]).toEqual([[0, 0], []]);
  });
});

describe('the list of changes', () => {
  test('lists only what changed since the tag, and an old tag still works', async () => {
    const [one, two] = [await newPass(), await newPass()];
    const device = new Device();
    await device.register(one);
    await device.register(two);
    const tag = await tagOf(device);
    expect((await device.list(tag)).status).toBe(204);
    await client.patch(`/api/v3/pass/${two.identifier}`, { data: { Level: 'Gold' } });
    const changed = await device.list(tag);
    expect(changed.body.serialNumbers).toEqual([two.identifier]);
    expect((await device.list(changed.body.lastUpdated)).status).toBe(204);
    expect((await device.list(tag)).body).toEqual(changed.body);
    await client.patch(`/api/v3/pass/${one.identifier}`, { data: { Level: 'Gold' } });
    expect((await device.list(changed.body.lastUpdated)).body.serialNumbers).toEqual([one.identifier]);
    expect((await device.list(tag)).body.serialNumbers).toEqual([one.identifier, two.identifier]);
  });

  test('does not lose a change with an earlier timestamp than listed ones', async () => {
    const [one, two] = [await newPass(), await newPass()];
    const device = new Device();
    await device.register(one);
    await device.register(two);
    const tag = await tagOf(device);
    await client.put(`/api/pass/${one.identifier}`, { voided: true });
    const told = (await device.list(tag)).body;
    // Another clock is behind, so the later change has a much older timestamp.
    await d1('update passes set version = version + 1, modified_at = created_at where id = ?', [two.identifier]);
    expect((await device.list(told.lastUpdated)).body.serialNumbers).toEqual([two.identifier]);
  });

  test('has every pass that a publication changes, once', async () => {
    const id = await client.createTemplate();
    const passes = [await client.createPass(id), await client.createPass(id)];
    const device = new Device();
    for (const pass of passes) await device.register(pass);
    const tag = await tagOf(device);
    await client.patch(`/api/v2/pass-template/${id}`, { logoText: 'New' });
    expect((await device.list(tag)).status).toBe(204);
    expect((await client.post(`/api/v2/pass-template/${id}/publish`)).status).toBe(201);
    const changed = (await device.list(tag)).body;
    expect(changed.serialNumbers).toEqual(passes.map(({ identifier }) => identifier));
    expect((await device.list(changed.lastUpdated)).status).toBe(204);
  });

  test('lists only passes of the device and the pass type', async () => {
    const pass = await newPass();
    const device = new Device();
    await device.register(pass);
    expect((await new Device().list()).status).toBe(204);
    expect((await send('GET', device.path('pass.com.example.other'))).status).toBe(204);
    expect((await send('GET', device.path('no.pass.type'))).status).toBe(400);
  });

  test('is limited for each device', async () => {
    const device = new Device();
    let refused: Awaited<ReturnType<Device['list']>> | undefined;
    // The window is a clock minute, so this can span at most two windows.
    for (let sent = 0; sent < 1_300 && !refused; sent += 50) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => device.list()));
      refused = replies.find(({ status }) => status === 429);
    }
    expect(refused?.headers.get('Retry-After')).toBe('60');
    expect((await new Device().list()).status).toBe(204);
  });
});

describe('the latest pass', () => {
  test('is not sent, read or signed again for devices that have it', async () => {
    const pass = await newPass();
    const device = new Device();
    const file = () => storedKeys(`pass-files/${pass.identifier}`);
    const modified = new Date(`${(await client.get(`/api/pass/${pass.identifier}`)).body.modifiedOn}Z`).toUTCString();
    const same = await device.fetch(pass, { 'If-Modified-Since': modified });
    expect([same.status, same.body, same.headers.get('Last-Modified')]).toEqual([304, undefined, modified]);
    const signed = () => allLogged({ event: 'development-signature', pass: pass.identifier });
    expect(await signed()).toEqual([]);
    const full = await device.fetch(pass);
    expect([full.status, full.headers.get('Last-Modified')]).toEqual([200, modified]);
    expect(await signed()).toHaveLength(1);
    // For a single device, the file isn't stored, because that costs more than building it.
    expect(await file()).toEqual([]);
    for (const other of [device, new Device()]) await other.register(pass);
    expect((await device.fetch(pass)).status).toBe(200);
    await eventually(async () => (await file()).length === 1);
    expect(await signed()).toHaveLength(2);
    expect((await device.fetch(pass)).status).toBe(200);
    expect(await signed()).toHaveLength(2);
  });

  test('is sent although its template blocks downloads while it is active', async () => {
    const id = await client.createTemplate({ preventDownloadWhenActive: true });
    const pass = await client.createPass(id);
    const device = new Device();
    const page = async () => (await send('GET', pass.linkToPassPage as '/')).body as string;
    expect(await page()).toContain('pass.pkpass');
    await device.register(pass);
    expect(await page()).not.toContain('pass.pkpass');
    expect((await device.fetch(pass)).status).toBe(200);
    await device.unregister(pass);
    expect(await page()).toContain('pass.pkpass');
  });

  test('requires its token and its pass type', async () => {
    const [pass, other] = [await newPass(), await newPass()];
    const path = `/wallet/apple/v1/passes/${PASS_TYPE_ID}/${pass.identifier}` as const;
    const refused = await send('GET', path);
    expect([refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([401, 'ApplePass']);
    expect((await send('GET', path, undefined, await authorizationOf(other))).status).toBe(401);
    const wrongType = path.replace(PASS_TYPE_ID, 'pass.com.example.other') as '/';
    expect((await send('GET', wrongType, undefined, await authorizationOf(pass))).status).toBe(404);
    expect(
      (await send('GET', `/wallet/apple/v1/passes/${PASS_TYPE_ID}/x`, undefined, await authorizationOf(pass))).status,
    ).toBe(404);
  });
});

describe('a deleted pass', () => {
  test.each(['the pass', 'its template'])('is listed once and then not found: %s', async (what) => {
    const caller = await freshAccount();
    const id = await caller.createTemplate();
    const [pass, never] = [await caller.createPass(id), await caller.createPass(id)];
    const device = new Device();
    await device.register(pass);
    await authorizationOf(never);
    const tag = await tagOf(device);
    expect(await activeByTemplate(caller.accountId)).toEqual([1]);
    if (what === 'the pass') {
      await caller.delete(`/api/pass/${pass.identifier}`);
      await caller.delete(`/api/pass/${never.identifier}`);
    } else {
      await caller.delete(`/api/pass-template/${id}`);
      await eventually(
        async () => (await d1('select 1 from template_deletions where template_id = ?', [id])).length === 0,
      );
    }
    expect(await activeByTemplate(caller.accountId)).toEqual(what === 'the pass' ? [0] : []);
    const changed = await device.list(tag);
    expect([changed.status, changed.body?.serialNumbers]).toEqual([200, [pass.identifier]]);
    expect((await device.fetch(pass)).status).toBe(404);
    expect((await device.register(pass)).status).toBe(404);
    expect((await device.list(changed.body.lastUpdated)).status).toBe(204);

    const tombstones = () =>
      d1('select pass_id from pass_tombstones where pass_id in (?, ?)', [pass.identifier, never.identifier]);
    expect(await tombstones()).toEqual([{ pass_id: pass.identifier }]);
    await runScheduled();
    expect(await rowsOf(pass)).toEqual([1, 0]);
    await d1('update pass_tombstones set deleted_at = deleted_at - ? where pass_id = ?', [
      31 * 86_400_000,
      pass.identifier,
    ]);
    await runScheduled();
    expect([await rowsOf(pass), await tombstones()]).toEqual([[0, 0], []]);
    expect((await device.list()).status).toBe(204);
  });

  test('can be unregistered without its token, which is deleted, too', async () => {
    const pass = await newPass();
    const device = new Device();
    await device.register(pass);
    await client.delete(`/api/pass/${pass.identifier}`);
    expect((await device.unregister(pass)).status).toBe(200);
    expect(await rowsOf(pass)).toEqual([0, 0]);
  });
});

describe('the account’s maximum of active passes', () => {
  const limited = async (maximum: number) => {
    const { body } = await client.post('/api/customer', {
      company_name: 'Limited',
      last_name: 'Lovelace',
      maximum_number_of_active_passes: maximum,
    });
    const caller = clientOf(body.customer_identifier, body.apiToken);
    return { caller, template: await caller.createTemplate() };
  };

  test('holds if 50 passes become active at once', async () => {
    const { caller, template } = await limited(7);
    const other = await caller.createTemplate();
    const passes = await Promise.all(
      Array.from({ length: 50 }, (_, i) => caller.createPass(i % 2 === 0 ? template : other)),
    );
    const replies = await Promise.all(passes.map((pass) => new Device().register(pass)));
    expect(statuses(replies)).toEqual([...Array(7).fill(201), ...Array(43).fill(403)]);
    const active = await d1<{ rows: number }>(
      'select count(*) as rows from passes where account_id = ? and number_of_active > 0 group by template_id order by template_id',
      [caller.accountId],
    );
    const rows = active.map((one) => one.rows);
    expect(rows.reduce((sum, count) => sum + count)).toBe(7);
    expect(await activeByTemplate(caller.accountId)).toEqual(rows);
  });

  test('counts passes, not devices, and a pass that nobody has anymore makes room', async () => {
    const { caller, template } = await limited(1);
    const [one, two] = [await caller.createPass(template), await caller.createPass(template)];
    const [device, second] = [new Device(), new Device()];
    expect((await device.register(one)).status).toBe(201);
    expect((await second.register(one)).status).toBe(201);
    const refused = await device.register(two);
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('quota exceeded: active passes')]);
    await device.unregister(one);
    expect((await device.register(two)).status).toBe(403);
    await second.unregister(one);
    expect((await device.register(two)).status).toBe(201);
    await caller.delete(`/api/pass/${two.identifier}`);
    expect((await second.register(one)).status).toBe(201);
  });

  test('applies to all its templates together', async () => {
    const { caller, template } = await limited(2);
    const templates = [template, await caller.createTemplate(), await caller.createTemplate()];
    const passes = await Promise.all(templates.map((id) => caller.createPass(id)));
    const replies = [];
    for (const pass of passes) replies.push(await new Device().register(pass));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 403]);
  });

  test('of zero allows none', async () => {
    const { caller, template } = await limited(0);
    expect((await new Device().register(await caller.createPass(template))).status).toBe(403);
  });
});

describe('the log', () => {
  const write = (body: object | string, address: string) =>
    send('POST', '/wallet/apple/v1/log', body, { 'CF-Connecting-IP': address });

  test('records what devices report, without their secrets', async () => {
    const device = new Device();
    const message = `Get pass task (for device ${device.id}, serial number 0198) encountered error: no last-modified`;
    const reply = await write({ logs: [message, 'second'] }, '192.0.2.1');
    expect([reply.status, reply.body]).toEqual([200, undefined]);
    const requestId = reply.headers.get('X-Request-Id');
    await logged({ event: 'device-message', requestId, message: 'second' });
    const [first] = await allLogged({ event: 'device-message', requestId });
    expect(first?.message).toBe(message.replace(device.id, '…'));
  });

  test('accepts nothing else, and no more than 16 KB', async () => {
    for (const body of ['x', {}, { logs: 'x' }, { logs: [1] }])
      expect((await write(body, '192.0.2.2')).status).toBe(400);
    expect((await write({ logs: ['x'.repeat(16 * 1024)] }, '192.0.2.2')).status).toBe(413);
  });

  test('is limited for each address', async () => {
    let refused = false;
    for (let sent = 0; sent < 1_300 && !refused; sent += 50) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => write({ logs: [] }, '192.0.2.3')));
      refused = replies.some(({ status }) => status === 429);
    }
    expect(refused).toBe(true);
    expect((await write({ logs: [] }, '192.0.2.4')).status).toBe(200);
  });
});

describe('the cost', () => {
  test('does not depend on the size of the tables', async () => {
    const caller = await freshAccount();
    const template = await caller.createTemplate();
    const [pass, second] = [await caller.createPass(template), await caller.createPass(template)];
    const crowd = 1_000;
    await d1(
      `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at)
       with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ?)
       select 'crowd-' || value, ?, ?, ?, 'f00d', 0 from numbers`,
      [crowd, PASS_TYPE_ID, pass.identifier, caller.accountId],
    );
    await d1('update passes set number_of_active = ? where id = ?', [crowd, pass.identifier]);
    const device = new Device();
    const registration = await device.register(pass);
    const requestId = registration.headers.get('X-Request-Id');
    expect((await logged({ event: 'request', requestId })).account).toBe(caller.accountId);
    const registered = await costOf(registration);
    expect(registered.roundTrips).toBe(2);
    expect(registered.rowsRead).toBeLessThanOrEqual(40);
    // One of them is an index entry for showing the newest devices in a timeline.
    expect(registered.rowsWritten).toBeLessThanOrEqual(8);
    const again = await costOf(await device.register(pass));
    expect([again.roundTrips, again.rowsWritten]).toEqual([1, 0]);
    expect(again.rowsRead).toBeLessThanOrEqual(10);
    await device.register(second);
    const listed = await costOf(await device.list());
    expect([listed.roundTrips, listed.rowsWritten]).toEqual([1, 0]);
    expect(listed.rowsRead).toBeLessThanOrEqual(8);
    const left = await costOf(await device.unregister(pass));
    expect(left.roundTrips).toBe(2);
    expect(left.rowsRead).toBeLessThanOrEqual(30);
    const modified = (await device.fetch(pass)).headers.get('Last-Modified')!;
    const notModified = await device.fetch(pass, { 'If-Modified-Since': modified });
    expect(notModified.status).toBe(304);
    const cost = await costOf(notModified);
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    expect([cost.rowsWritten, cost.rowsRead <= 10]).toEqual([0, true]);
    const removed = await costOf(await caller.delete(`/api/pass/${pass.identifier}`));
    expect(removed.roundTrips).toBeLessThanOrEqual(3);
    // Three find the pass's timeline facts.
    expect(removed.rowsRead).toBeLessThanOrEqual(34);
  });
});
