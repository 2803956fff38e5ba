import { beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src/domain/jobs.ts';
import { type Client, freshAccount } from '../support/api.ts';
import type { Sent } from '../support/bindings-worker.ts';
import { costOf, d1, eventually, logged, runScheduled, sendJobs } from '../support/control.ts';
import { recordedEvents } from '../support/event-bodies.ts';
import { ended } from '../support/processes.ts';
import { allPushed, type HeldPass, heldPass, pushed, pushesTo, relayedAccount } from '../support/pushes.ts';
import { PASS_TYPE_ID } from '../support/start-worker.ts';
import { Device } from '../wallets/apple/web-service/device.ts';

/* The pushes that a pass change causes: none is lost or duplicated. */

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

const patch = ({ pass }: HeldPass, data: object, as = client) =>
  as.patch(`/api/v3/pass/${pass.identifier}?async=false`, { data });
const pendingOf = ({ pass }: HeldPass) =>
  d1('select wallet from requested_pushes where pass_id = ?', [pass.identifier]);
const jobOf = ({ pass }: HeldPass): Sent<Job> => ({ type: 'push-passes', passIds: [pass.identifier] });
const versionOf = async ({ pass }: HeldPass) =>
  (await d1<{ version: number }>('select version from passes where id = ?', [pass.identifier]))[0]?.version;

describe('a change that affects the card is pushed', () => {
  const CHANGES: [string, (held: HeldPass) => Promise<{ status: number }>][] = [
    ['v3 PATCH', (held) => patch(held, { 'Full name': 'Ada' })],
    ['v3 replace', ({ pass }) => client.post(`/api/v3/pass/${pass.identifier}`, { data: { 'Full name': 'Ada' } })],
    ['v1 update', ({ pass }) => client.post(`/api/pass/${pass.identifier}`, { expirationDate: '2030-01-01 10:00' })],
    ['void', ({ pass }) => client.put(`/api/pass/${pass.identifier}`, { voided: true })],
    ['a colour', (held) => patch(held, { backgroundColor: '#123456' })],
    ['a location', (held) => patch(held, { locations: [{ latitude: 1, longitude: 2 }] })],
  ];
  test.each(CHANGES)('by %s', async (_, change) => {
    const held = await heldPass(client, templateId);
    const tag = (await held.device.list()).body.lastUpdated;
    expect((await change(held)).status).toBeLessThan(300);
    const [push] = await pushed(held.device);
    expect(push).toMatchObject({ text: '', passId: held.pass.identifier });
    expect((await held.device.list(tag)).body.serialNumbers).toEqual([held.pass.identifier]);
    expect(await eventually(async () => (await pendingOf(held)).length === 0)).toBe(true);
  });

  test('by void of its bundle', async () => {
    const [one, two] = [await heldPass(client, templateId), await heldPass(client, templateId)];
    const passes = [one.pass.identifier, two.pass.identifier];
    const { bundleId } = (await client.post('/api/v2/pass-bundle', { passes })).body.data;
    await allPushed(client);
    const before = (await pushesTo(one.device, two.device)).length;
    await client.put(`/api/v2/pass-bundle/void/${bundleId}`, { voided: true });
    await eventually(async () => (await pushesTo(one.device, two.device)).length === before + 2);
  });

  test('by a move to another template', async () => {
    const project = (await client.post('/api/v3/project', { name: 'Club' })).body.data.identifier;
    const [from, to] = [
      await client.createTemplate({ projectId: project }),
      await client.createTemplate({ projectId: project, name: 'Gold' }),
    ];
    const held = await heldPass(client, from);
    expect((await client.post(`/api/v2/pass/${held.pass.identifier}/movetotemplate/${to}`)).status).toBe(200);
    await pushed(held.device);
  });

  test('by a bulk update, each pass once, with its text', async () => {
    const held = await Promise.all(
      ['Ada', 'Grace', 'Hedy'].map((name) => heldPass(client, templateId, { 'Full name': name })),
    );
    const inactive = await client.createPass(templateId);
    const identifiers = [...held.map(({ pass }) => pass.identifier), inactive.identifier];
    const data = { Level: 'Gold', pushNotificationText: '{Full name} is {Level} now' };
    const process = await ended(client, await client.patch('/api/v3/pass/bulk', { data, filter: { identifiers } }));
    expect(process).toMatchObject({ status: 'finished', current: 4 });
    for (const [i, name] of ['Ada', 'Grace', 'Hedy'].entries()) {
      expect((await pushed(held[i]!.device)).map(({ text }) => text)).toEqual([`${name} is Gold now`]);
    }
    await allPushed(client);
    expect(await pushesTo(...held.map(({ device }) => device))).toHaveLength(3);
    const rows = await d1('select push_text, version from passes where id = ?', [inactive.identifier]);
    expect(rows).toEqual([{ push_text: null, version: 2 }]);
    // Repeating a text sends no push, and a text alone isn't an update.
    const again = { filter: { identifiers }, data: { pushNotificationText: 'Ada is Gold now' } };
    await ended(client, await client.patch('/api/v3/pass/bulk', again));
    await allPushed(client);
    expect(await versionOf(held[0]!)).toBe(2);
    expect(await versionOf(held[1]!)).toBe(3);
    const updates = await d1("select 1 from account_events where pass_id = ? and type = 'pass_updated'", [
      held[1]!.pass.identifier,
    ]);
    expect(updates).toHaveLength(1);
  });

  test('by a bulk update with separate values per pass and template rules', async () => {
    const ruled = await client.createTemplate({ enforceUniqueUserProvidedId: true });
    const held = [await heldPass(client, ruled), await heldPass(client, ruled)];
    const passes = held.map(({ pass }, i) => ({
      identifier: pass.identifier,
      data: { userProvidedId: `ruled-${i}`, pushNotificationText: `You are number ${i}` },
    }));
    await ended(client, await client.patch('/api/v3/pass/bulk', { passes }));
    for (const [i, { device }] of held.entries()) {
      expect((await pushed(device)).map(({ text }) => text)).toEqual([`You are number ${i}`]);
    }
  });
});

describe('an object at Google', () => {
  test('gets each change and each text once, even for a pass that no iPhone has', async () => {
    const pass = await client.createPass(templateId);
    await d1('update passes set google_published_at = 1 where id = ?', [pass.identifier]);
    // A trigger records push requests, because the job is as fast as the test. A new device gets its own push.
    const trigger = `asks_${pass.identifier.replaceAll('-', '_')}`;
    await d1(`create table ${trigger} as select wallet, text from requested_pushes where false`);
    await d1(
      `create trigger ${trigger}_asked after insert on requested_pushes
       when new.pass_id = '${pass.identifier}' and new.wallet not like 'device %'
       begin insert into ${trigger} values (new.wallet, new.text); end`,
    );
    try {
      await client.put(`/api/pass/${pass.identifier}`, { voided: true });
      await allPushed(client);
      expect(await d1(`select * from ${trigger}`)).toEqual([{ wallet: 'google', text: null }]);
      await new Device().register(pass);
      const text = { pushNotificationText: 'To both wallets' };
      await client.post(`/api/pass/${pass.identifier}/sendpushnotification`, text);
      await allPushed(client);
      expect((await d1(`select * from ${trigger} order by wallet`)).slice(0, 1)).toEqual([
        { wallet: 'apple', text: 'To both wallets' },
      ]);
      expect(await d1(`select count(*) as n from ${trigger} where text is not null`)).toEqual([{ n: 2 }]);
      const past = { pushNotificationText: 'To all', publicationDate: '2026-01-31 08:15' };
      await client.post(`/api/pass-template/${templateId}/notification`, past);
      await runScheduled();
      await eventually(async () => (await d1(`select 1 from ${trigger} where text = 'To all'`)).length > 0);
      await allPushed(client);
      expect(await d1(`select wallet from ${trigger} where text = 'To all'`)).toEqual([{ wallet: 'google' }]);
      await client.patch(`/api/v2/pass-template/${templateId}`, { colors: { backgroundColor: '#00aa00' } });
      await client.post(`/api/v2/pass-template/${templateId}/publish`, {});
      await eventually(async () => (await d1(`select 1 from ${trigger}`)).length === 5);
      await allPushed(client);
    } finally {
      await d1(`drop trigger ${trigger}_asked`);
      await d1(`drop table ${trigger}`);
    }
  });
});

describe('what is not pushed', () => {
  test('a change that no wallet shows', async () => {
    const held = await heldPass(client, templateId);
    const reply = await patch(held, {
      emailRecipient: 'ada@example.com',
      downloadPin: null,
      eligibleValidationPlaces: [],
    });
    expect(reply.status).toBe(200);
    expect(await versionOf(held)).toBe(2);
    expect(await pendingOf(held)).toEqual([]);
    expect((await patch(held, { emailRecipient: 'ada@example.com' })).status).toBe(200);
    expect(await versionOf(held)).toBe(2);
    expect(await pushesTo(held.device)).toEqual([]);
  });

  test('a pass that nobody holds, at no row', async () => {
    const pass = await client.createPass(templateId);
    const cost = await costOf(await client.patch(`/api/v3/pass/${pass.identifier}`, { data: { storedValue: 1 } }));
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    // Two of them create its timeline.
    expect(cost.rowsWritten).toBeLessThanOrEqual(10);
    const { device, pass: left } = await heldPass(client, templateId);
    await device.unregister(left);
    await client.put(`/api/pass/${left.identifier}`, { voided: true });
    const rows = await d1('select 1 from requested_pushes where pass_id in (?, ?)', [pass.identifier, left.identifier]);
    expect(rows).toEqual([]);
  });

  test('a pass of another account', async () => {
    const other = await freshAccount();
    const held = await heldPass(client, templateId);
    await heldPass(other, await other.createTemplate(), {}, held.device);
    expect((await patch(held, { storedValue: 5 }, other)).status).toBe(404);
    expect(await pendingOf(held)).toEqual([]);
  });
});

describe('no push is lost or duplicated', () => {
  /** Creates a change whose job was lost: its request is in the transactional outbox, and nothing picks it up. */
  async function lost(held: HeldPass, seconds = 0): Promise<void> {
    await d1(
      `insert into requested_pushes (pass_id, wallet, account_id, text, requested_at, due_at, claim, attempts)
       values (?, 'apple', ?, null, ?, ?, null, 0)`,
      [held.pass.identifier, client.accountId, Date.now(), Date.now() + seconds * 1_000],
    );
  }

  test('if the Worker crashes between commit and queue, the cron sends the job again', async () => {
    const held = await heldPass(client, templateId);
    await lost(held);
    await Promise.all([runScheduled(), runScheduled()]);
    expect(await pushed(held.device)).toHaveLength(1);
    await eventually(async () => (await pendingOf(held)).length === 0);
    await runScheduled();
    expect(await pushesTo(held.device)).toHaveLength(1);
  });

  test('if the job arrives twice, or many times at once, the device is notified once', async () => {
    const held = await heldPass(client, templateId);
    await lost(held, 3_600);
    await sendJobs(Array(20).fill(jobOf(held)), client);
    await pushed(held.device);
    await eventually(async () => (await pendingOf(held)).length === 0);
    expect(await pushesTo(held.device)).toHaveLength(1);
  });

  test('if its job crashes, another one claims it once the lease has ended', async () => {
    const held = await heldPass(client, templateId);
    await lost(held, 3_600);
    await d1(`update requested_pushes set claim = 'dead' where pass_id = ?`, [held.pass.identifier]);
    await sendJobs([jobOf(held)], client);
    await runScheduled();
    expect(await pendingOf(held)).toHaveLength(1);
    // A claim with the end of its lease keeps the row until then, whatever message the queue had for it.
    const claim = 'update requested_pushes set due_at = 1, claim = ? where pass_id = ?';
    await d1(claim, [`${Date.now() + 60_000} alive`, held.pass.identifier]);
    await sendJobs([jobOf(held)], client);
    await runScheduled();
    expect(await pendingOf(held)).toHaveLength(1);
    expect(await pushesTo(held.device)).toEqual([]);
    await d1(claim, [`${Date.now() - 1} dead`, held.pass.identifier]);
    await runScheduled();
    expect(await pushed(held.device)).toHaveLength(1);
  });

  test('if its job is of a previous release and crashes, another one claims it', async () => {
    const held = await heldPass(client, templateId);
    await lost(held, 3_600);
    await d1(`update requested_pushes set claim = 'dead', due_at = 1 where pass_id = ?`, [held.pass.identifier]);
    await runScheduled();
    expect(await pushed(held.device)).toHaveLength(1);
  });

  test('if the pass changes while it is being pushed, the later state is pushed, too', async () => {
    let change: (() => Promise<unknown>) | undefined;
    const far = await relayedAccount(
      () => ({ outcome: 'sent' }),
      async () => change?.(),
    );
    const held = await heldPass(far.client, await far.client.createTemplate(), {}, new Device(far.passTypeId));
    change = async () => {
      change = undefined;
      await patch(held, { storedValue: 2 }, far.client);
    };
    await patch(held, { storedValue: 1 }, far.client);
    await eventually(() => far.received.length >= 2);
    await allPushed(far.client);
    expect(far.received).toEqual([held.device.pushToken, held.device.pushToken]);
    await far.relay.close();
  });

  test('if 50 changes race, the last one is pushed and nothing is left behind', async () => {
    const held = await heldPass(client, templateId);
    await Promise.all(Array.from({ length: 50 }, (_, i) => patch(held, { storedValue: i + 1 })));
    await allPushed(client);
    expect(await versionOf(held)).toBe(51);
    const pushes = await pushesTo(held.device);
    expect(pushes.length).toBeGreaterThan(0);
    expect(pushes.length).toBeLessThanOrEqual(50);
  });

  test('if the other end is busy, the push is retried after the requested time', async () => {
    let answers = 0;
    const far = await relayedAccount(() =>
      answers++ === 0 ? { outcome: 'retry', afterSeconds: 1, reason: '429 TooManyRequests' } : { outcome: 'sent' },
    );
    const held = await heldPass(far.client, await far.client.createTemplate(), {}, new Device(far.passTypeId));
    await patch(held, { storedValue: 1 }, far.client);
    const line = await logged({ event: 'job', job: 'push-passes', status: 'retry' });
    expect(line.error).toContain('429 TooManyRequests');
    expect(line.account).toBe(far.client.accountId);
    await eventually(async () => {
      await d1('update requested_pushes set due_at = 1 where pass_id = ? and claim is null', [held.pass.identifier]);
      await runScheduled();
      return far.received.length === 2;
    });
    await allPushed(far.client);
    await far.relay.close();
  });

  test('an answer from one account’s relay ends no registration of another account with the same pass type', async () => {
    const victim = await freshAccount();
    const theirs = await heldPass(victim, await victim.createTemplate());
    const { device } = theirs;
    const far = await relayedAccount(() => ({ outcome: 'gone' }), undefined, PASS_TYPE_ID);
    const own = await heldPass(far.client, await far.client.createTemplate(), {}, device);
    await patch(own, { storedValue: 1 }, far.client);
    await allPushed(far.client);
    expect(far.received).toEqual([device.pushToken]);
    expect((await far.client.get(`/api/pass/${own.pass.identifier}`)).body.numberOfActive).toBe(0);
    expect((await victim.get(`/api/pass/${theirs.pass.identifier}`)).body.numberOfActive).toBe(1);
  });

  test('if a token is gone, every registration of the device ends, with count and event', async () => {
    const dead = new Set<string>();
    const far = await relayedAccount((token) => ({ outcome: dead.has(token) ? 'gone' : 'sent' }));
    const template = await far.client.createTemplate();
    const device = new Device(far.passTypeId);
    const held = await heldPass(far.client, template, {}, device);
    const beside = await heldPass(far.client, template, {}, device);
    const other = await heldPass(far.client, template, {}, new Device(far.passTypeId));
    dead.add(device.pushToken);
    await patch(held, { storedValue: 1 }, far.client);
    await allPushed(far.client);
    for (const { pass } of [held, beside]) {
      const read = (await far.client.get(`/api/pass/${pass.identifier}`)).body;
      expect([read.numberOfActive, read.numberOfInactive]).toEqual([0, 1]);
      const events = await recordedEvents("pass_id = ? and type = 'pushnotification_unregistered'", [pass.identifier]);
      expect(events.map(({ body }) => body)).toEqual([
        expect.objectContaining({ noOfActivePasses: 0, noOfInactivePasses: 1 }),
      ]);
    }
    expect((await far.client.get(`/api/pass/${other.pass.identifier}`)).body.numberOfActive).toBe(1);
    expect(
      (await far.client.post(`/api/pass/${held.pass.identifier}/sendpushnotification`, { pushNotificationText: 'x' }))
        .status,
    ).toBe(400);
    // It can come back.
    expect((await device.register(held.pass)).status).toBe(201);
    await far.relay.close();
  });

  test('if the other end rejects a push, that is logged and the push ends', async () => {
    const far = await relayedAccount(() => ({ outcome: 'refused', reason: '403 BadCertificate' }));
    const held = await heldPass(far.client, await far.client.createTemplate(), {}, new Device(far.passTypeId));
    await patch(held, { storedValue: 1 }, far.client);
    await logged({ event: 'push-refused', topic: far.passTypeId, reason: '403 BadCertificate', devices: 1 });
    await allPushed(far.client);
    expect((await far.client.get(`/api/pass/${held.pass.identifier}`)).body.numberOfActive).toBe(1);
    await far.relay.close();
  });

  test('a push that could not be sent for a day fails', async () => {
    const held = await heldPass(client, templateId);
    await lost(held);
    await d1('update requested_pushes set requested_at = 1 where pass_id = ?', [held.pass.identifier]);
    await runScheduled();
    await logged({ event: 'pushes-given-up', passes: 1 });
    expect(await pendingOf(held)).toEqual([]);
  });
});
