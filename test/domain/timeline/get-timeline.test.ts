import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { messages } from '../../../src/domain/messages/table.ts';
import { appendFacts, listedFacts } from '../../../src/domain/pass-facts/append-facts.ts';
import { encodeFact, type Fact, type FactActor } from '../../../src/domain/pass-facts/facts.ts';
import { FACT_RETENTION_MS, purgeFacts } from '../../../src/domain/pass-facts/purge-facts.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { deletePass } from '../../../src/domain/passes/deletion/delete-pass.ts';
import { patchPass } from '../../../src/domain/passes/update-pass.ts';
import { resumePushes } from '../../../src/domain/pushes/resume-pushes.ts';
import { getTimeline, parsePlace } from '../../../src/domain/timeline/get-timeline.ts';
import type { TimelineEntry } from '../../../src/domain/timeline/timeline-entry.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { pushPasses } from '../../../src/wallets/apple/push-passes.ts';
import { withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

const DAY_MS = 24 * 3_600_000;

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
beforeAll(async () => {
  database = await openLocalDatabase();
  const actor = { type: 'api_key', id: uuidv7(), name: 'Checkout' } as const;
  ctx = withQueue({ ...(await database.accountContext()), actor }, { jobs: [], isDown: false });
  templateId = await makeTemplate(ctx);
});
afterAll(() => database.close());

const newPass = async () => (await createPass(ctx, templateId, {}, { wait: false })).pass;
const noteAt = (passId: string, now: number, ...facts: Fact[]) =>
  appendFacts(ctx, ctx.account.id, listedFacts(facts.map((fact) => ({ passId, fact: encodeFact(fact) }))), now);
const note = (passId: string, ...facts: Fact[]) => noteAt(passId, Date.now(), ...facts);
const asked = (at: number, device = 'abcdef01'): Fact => ({ type: 'device_asked', at, device });
const rowsOf = async (passId: string) =>
  (
    await database.d1
      .prepare(
        'select facts, began_at from pass_facts join passes on passes.key = pass_key where id = ? order by began_at',
      )
      .bind(passId)
      .all<{ facts: string; began_at: number }>()
  ).results;

/** Registers a device for the pass, without the web service. */
async function hold(passId: string): Promise<void> {
  await database.d1
    .prepare(
      `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at)
       values (hex(randomblob(8)), 'pass.com.example.test', ?, ?, 'f00d', 1)`,
    )
    .bind(passId, ctx.account.id)
    .run();
  await database.d1
    .prepare('update passes set number_of_active = number_of_active + 1 where id = ?')
    .bind(passId)
    .run();
}

async function pagesOf(passId: string, limit: number): Promise<TimelineEntry[]> {
  const all: TimelineEntry[] = [];
  for (;;) {
    const last = all.at(-1);
    const { entries } = await getTimeline(ctx, passId, { limit, before: last && parsePlace(last.id) });
    all.push(...entries);
    if (entries.length < limit) return all;
  }
}

describe('pages of a timeline', () => {
  test('show each entry once, newest first, even those of the same moment', async () => {
    const pass = await newPass();
    const of = { accountId: ctx.account.id, passId: pass.id, templateId, kind: 'creation', recipient: 'me' };
    const now = Date.now();
    for (let i = 0; i < 5; i++) {
      const message = { ...of, id: uuidv7(), channel: 'sms', status: 'sent', attempts: 1, createdAt: now };
      await database.look.insert(messages).values(message as typeof messages.$inferInsert);
    }
    await note(pass.id, ...['a', 'b', 'c', 'd'].map((device) => asked(now, device)));
    const all = await pagesOf(pass.id, 100);
    expect(all).toHaveLength(10);
    expect(new Set(all.map(({ id }) => id)).size).toBe(10);
    for (const limit of [1, 2, 3, 4]) expect(await pagesOf(pass.id, limit)).toEqual(all);
  });

  test('continue across rows of facts, even if a push carried a change for a while', async () => {
    const pass = await newPass();
    const start = Date.now() - 10 * DAY_MS;
    for (let i = 0; i < 300; i++) {
      // Every fortieth fact is a change that happened before the preceding facts.
      const now = start + i * 1_000;
      await noteAt(pass.id, now, asked(now - (i % 40 === 39 ? 20_500 : 0), `${i}`));
    }
    expect((await rowsOf(pass.id)).length).toBeGreaterThan(3);
    const all = await pagesOf(pass.id, 100);
    const times = all.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(all).toHaveLength(301);
    for (const limit of [1, 7, 40]) expect(await pagesOf(pass.id, limit)).toEqual(all);
  });

  test('name the actor of each change, which a row stores once', async () => {
    const [key, user] = [uuidv7(), uuidv7()];
    const begin = Date.now() - 1_000;
    const actors: FactActor[] = [
      ...(['api_key', 'api_key', 'user'] as const).map((type) => ({ type, id: type === 'user' ? user : key })),
      { type: 'system', id: null },
      { type: 'system', id: null },
      { type: 'api_key', id: key },
      { type: 'user', id: key },
    ];
    const changes = actors.map((actor, i): Fact & { type: 'changed' } => {
      return { type: 'changed', at: begin + i, actor, version: i + 2, isShown: i % 2 === 0, members: ['level'] };
    });
    const shown = async (passId: string) =>
      (await pagesOf(passId, 100)).flatMap((entry) => (entry.type === 'changed' && 'version' in entry ? entry : []));
    const inOneRow = await newPass();
    for (const change of changes) await note(inOneRow.id, change, asked(change.at));
    const [row, ...others] = await rowsOf(inOneRow.id);
    expect(others).toEqual([]);
    const named = encodeFact(changes[0]!).split('"')[1]!;
    expect([named.length, row!.facts.split(`"${named}"`).length - 1]).toEqual([23, 1]);
    const entries = await shown(inOneRow.id);
    expect(entries.map(({ actor, version }) => ({ type: actor?.type, id: actor?.id, version }))).toEqual(
      changes.map(({ actor, version }) => ({ ...actor, version })).reverse(),
    );
    // The same, where each starts a new row and devices come before them.
    const apart = await newPass();
    await note(apart.id, asked(begin - 1));
    for (const change of changes) await note(apart.id, change);
    expect(await shown(apart.id)).toEqual(entries);
  });

  test('lose nothing with 50 simultaneous facts', async () => {
    const pass = await newPass();
    const at = Date.now();
    await Promise.all(Array.from({ length: 50 }, (_, i) => note(pass.id, asked(at, `${i}`))));
    expect(await pagesOf(pass.id, 100)).toHaveLength(51);
  });

  test('read only the page’s rows, in at most two round trips', async () => {
    const pass = await newPass();
    const start = Date.now() - 20 * DAY_MS;
    const device = 'x'.repeat(500);
    for (let i = 0; i < 120; i++) {
      const now = start + i * 1_000;
      await noteAt(pass.id, now, asked(now, `${i}${device}`));
    }
    expect((await rowsOf(pass.id)).length).toBeGreaterThan(20);
    const metered = { ...database.context(), account: ctx.account };
    const { entries } = await getTimeline(metered, pass.id, { limit: 5 });
    expect(entries).toHaveLength(5);
    expect(metered.meter.roundTrips).toBe(1);
    expect(metered.meter.rowsRead).toBeLessThanOrEqual(60);
    const behind = { ...database.context(), account: ctx.account };
    await patchPass(ctx, pass.id, { storedValue: 1 }, { wait: false });
    await getTimeline(behind, pass.id, { limit: 5 });
    expect(behind.meter.roundTrips).toBe(2);
    expect(behind.meter.rowsRead).toBeLessThanOrEqual(70);
  });
});

test('a timeline of a pass on 2,000 devices reads only the page’s rows', async () => {
  const pass = await newPass();
  await database.d1
    .prepare(
      `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
       select 'crowd-' || i, 'pass.com.example.test', ?, ?, null, 1000 + i / 3, iif(i % 2, null, 5000 + i / 3) from n`,
    )
    .bind(pass.id, ctx.account.id)
    .run();
  const metered = { ...database.context(), account: ctx.account };
  const { entries } = await getTimeline(metered, pass.id, { limit: 10, before: parsePlace('100000-x') });
  expect(entries.map(({ type }) => type)).toEqual(Array.from({ length: 10 }, () => 'device_removed'));
  expect(metered.meter.rowsRead).toBeLessThanOrEqual(80);
  expect(await pagesOf(pass.id, 100)).toHaveLength(3_001);
});

describe('facts', () => {
  test('of a change have at most 60 bytes each, rows and index included', async () => {
    const held = await newPass();
    await hold(held.id);
    const alone = await newPass();
    const size = async () => {
      const { results } = await database.d1
        // SQLite's storage: the row's texts and integers, its key and header, and the index entry.
        .prepare('select sum(length(facts) + 8 + 8 + 4 + 6 + 4 + 8 + 4) as bytes from pass_facts')
        .all<{ bytes: number | null }>();
      return results[0]!.bytes ?? 0;
    };
    const before = await size();
    let facts = 0;
    for (let i = 1; i <= 10; i++) {
      await patchPass(ctx, alone.id, { storedValue: i }, { wait: false });
      await patchPass(ctx, held.id, { storedValue: i }, { wait: false });
      await pushPasses(ctx, { type: 'push-passes', accountId: ctx.account.id, passIds: [held.id] });
      const at = Date.now();
      await note(held.id, asked(at));
      await note(held.id, { type: 'file_downloaded', at, version: i + 1, templateVersion: 1, isKnown: false });
      facts += 5;
    }
    const bytes = ((await size()) - before) / facts;
    expect(bytes).toBeLessThanOrEqual(45);
    // Most of these repeat the reason of a rejected push. A change that notifies nobody has no others.
    const [row] = await rowsOf(alone.id);
    expect((row!.facts.length + 46) / 10).toBeLessThanOrEqual(40);
  });

  test('are shown for 90 days and deleted in pages after 120, and others stay', async () => {
    const [pass, young] = [await newPass(), await newPass()];
    const now = Date.now();
    const old = now - FACT_RETENTION_MS;
    await noteAt(pass.id, old, asked(old - 1_000), asked(old + 60_000));
    await note(young.id, asked(now));
    const shown = await pagesOf(pass.id, 10);
    expect(shown.map(({ type }) => type)).toEqual(['created', 'device_asked']);
    const rows = async () =>
      (await database.d1.prepare('select count(*) as n from pass_facts').first<{ n: number }>())!.n;
    const before = await rows();
    await purgeFacts(ctx, now);
    expect(await rows()).toBe(before);
    await purgeFacts(ctx, now + FACT_RETENTION_MS + 31 * DAY_MS);
    expect(await rows()).toBe(0);
  });

  test('are added only to the account’s passes, and deleted with the pass', async () => {
    const pass = await newPass();
    const stranger = await database.accountContext();
    const fact = encodeFact(asked(Date.now()));
    await appendFacts(stranger, stranger.account.id, listedFacts([{ passId: pass.id, fact }]));
    expect(await rowsOf(pass.id)).toEqual([]);
    await note(pass.id, asked(Date.now()));
    expect((await getTimeline(stranger, pass.id, { limit: 10 })).entries).toEqual([]);
    const count = async () =>
      (await database.d1.prepare('select count(*) as n from pass_facts').first<{ n: number }>())!.n;
    const before = await count();
    await deletePass(ctx, pass.id, async () => {});
    expect(await count()).toBe(before - 1);
  });

  test('cost one written row, or two for a new row', async () => {
    const pass = await newPass();
    const cost = async () => {
      const metered = { ...database.context(), account: ctx.account };
      const fact = encodeFact(asked(Date.now(), crypto.randomUUID()));
      await appendFacts(metered, ctx.account.id, listedFacts([{ passId: pass.id, fact }]));
      return [metered.meter.rowsWritten, metered.meter.rowsRead <= 8];
    };
    expect([await cost(), await cost(), await cost()]).toEqual([
      [2, true],
      [1, true],
      [1, true],
    ]);
  });

  test('of a push that failed permanently stay, with the change that it carried', async () => {
    const pass = await newPass();
    await hold(pass.id);
    await patchPass(ctx, pass.id, { storedValue: 4 }, { wait: false });
    // Creation uses the identifiers' clock, which other files in this run have set ahead.
    const types = async () =>
      (await pagesOf(pass.id, 100)).map(({ type }) => type).filter((type) => type !== 'created');
    expect(await types()).toEqual(['push_pending', 'changed', 'device_added']);
    await resumePushes(ctx, Date.now() + 2 * DAY_MS);
    // It failed for the last time, at a time in this test's future.
    const { results } = await database.d1
      .prepare('select 1 from requested_pushes where pass_id = ?')
      .bind(pass.id)
      .all();
    expect(results).toEqual([]);
    expect(await types()).toEqual(['push_given_up', 'changed', 'device_added']);
  });

  test('of several changes wait for one push, and none is lost or duplicated when it is taken over', async () => {
    const pass = await newPass();
    await hold(pass.id);
    for (const storedValue of [1, 2, 3]) await patchPass(ctx, pass.id, { storedValue }, { wait: false });
    const job = { type: 'push-passes' as const, accountId: ctx.account.id, passIds: [pass.id] };
    await Promise.all([pushPasses(ctx, job), patchPass(ctx, pass.id, { storedValue: 4 }, { wait: false })]);
    await pushPasses(ctx, job);
    const changes = (await pagesOf(pass.id, 100)).flatMap((entry) => (entry.type === 'changed' ? entry : []));
    expect(changes.map(({ version }) => version)).toEqual([5, 4, 3, 2]);
    expect(changes[0]!.members).toEqual(['storedValue']);
    expect(changes[0]!.actor).toEqual({ type: 'api_key', id: ctx.actor!.id, name: 'Checkout' });
    const { entries } = await getTimeline({ ...ctx, actor: undefined }, pass.id, { limit: 100 });
    // A deleted key has no name.
    expect(entries.find(({ type }) => type === 'changed')).toMatchObject({ actor: { id: ctx.actor!.id, name: null } });
  });

  test('from a later release are omitted', async () => {
    const pass = await newPass();
    await appendFacts(ctx, ctx.account.id, sql`select ${pass.id} as pass_id, ${`[${Date.now()},99,"x"]`} as facts`);
    expect(await pagesOf(pass.id, 10)).toHaveLength(1);
  });
});
