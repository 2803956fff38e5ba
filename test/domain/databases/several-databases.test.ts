import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createSubCustomer } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount, listAccounts } from '../../../src/domain/accounts/find-account.ts';
import { authenticate } from '../../../src/domain/api-keys/authenticate.ts';
import { type AccountContext, type Context, inDatabase, inDirectory } from '../../../src/domain/context.ts';
import { chooseShard } from '../../../src/domain/databases/choose-database.ts';
import { readMap } from '../../../src/domain/databases/follow-moves.ts';
import { closeForAccounts, openForAccounts } from '../../../src/domain/databases/open-database.ts';
import { sweepImages } from '../../../src/domain/images/sweep-images.ts';
import { recordProviderStatus } from '../../../src/domain/messages/record-provider-status.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { findGooglePass } from '../../../src/domain/passes/google/find-google-pass.ts';
import { findPage } from '../../../src/domain/passes/page/find-page.ts';
import { setQuotas } from '../../../src/domain/quotas/set-quotas.ts';
import { keepMap, placeOfAccount, placesOfShard } from '../../../src/domain/shard-map.ts';
import { resumeAccount, suspendAccount } from '../../../src/domain/suspension/suspend-account.ts';
import { copyTemplate } from '../../../src/domain/templates/copy-template.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { shardOf, uuidv7 } from '../../../src/platform/ids.ts';
import { d1Around } from '../../support/d1-over.ts';
import { jobQueues, queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

/* Two databases in one environment: callbacks, moved accounts and their remains. */

let [first, second]: LocalDatabase[] = [];
let ctx: Context;
const deleted: string[] = [];
beforeAll(async () => {
  [first, second] = [await openLocalDatabase(), await openLocalDatabase()];
  const FILES = {
    list: async ({ prefix }: { prefix: string }) => ({ objects: [{ key: `${prefix}1` }] }),
    delete: async (keys: string[]) => deleted.push(...keys),
  } as unknown as R2Bucket;
  const { env, ...rest } = first.context();
  ctx = { ...rest, env: { ...env, DB_1: second.d1, FILES, ...jobQueues(), WEBHOOKS: queueTo(), TICKS: queueTo() } };
  await openForAccounts(ctx, 'DB_1', async () => {});
});
afterAll(async () => {
  await first!.close();
  await second!.close();
});

const accountIn = async (database: string): Promise<AccountContext> =>
  actForAccount(ctx, (await createAccount(ctx, { name: database }, { database })).account.id);

const rows = async (database: LocalDatabase, statement: string, ...values: unknown[]) =>
  (
    await database.d1
      .prepare(statement)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results;

/** Moves an account's row, as a real move does, and updates the map. */
async function move({ account }: AccountContext): Promise<AccountContext> {
  const [row] = await rows(first!, 'select * from accounts where id = ?', account.id);
  const names = Object.keys(row!);
  await rows(second!, `insert into accounts (${names}) values (${names.map(() => '?')})`, ...Object.values(row!));
  await rows(first!, 'delete from accounts where id = ?', account.id);
  await place(account.id);
  return actForAccount(ctx, account.id);
}

async function place(subject: string): Promise<void> {
  await rows(first!, "insert into shard_places values (?, 'DB_1', (select count(*) + 1 from shard_places))", subject);
  await readMap(ctx);
}

async function makePass(acting: AccountContext) {
  const templateId = await makeTemplate(acting);
  return { templateId, pass: (await createPass(acting, templateId, {}, { wait: true })).pass };
}

test('an account is created in the requested database, and otherwise in the one with the most room', async () => {
  const [here, there] = [await accountIn('DB'), await accountIn('DB_1')];
  expect([shardOf(here.account.id), shardOf(there.account.id)]).toEqual([0, 1]);
  expect([here.database, there.database]).toEqual(['DB', 'DB_1'].map((name) => (name === 'DB' ? undefined : name)));
  const list = await listAccounts(ctx);
  expect(list.map(({ database }) => database).sort()).toEqual(['DB', 'DB_1']);
  await closeForAccounts(ctx, 'DB');
  expect(await chooseShard(ctx)).toBe(1);
  await closeForAccounts(ctx, 'DB_1');
  await expect(chooseShard(ctx)).rejects.toThrow('No database accepts new accounts');
  await openForAccounts(ctx, 'DB', async () => {});
  await openForAccounts(ctx, 'DB_1', async () => {});
});

test('a new account goes to the database with the most measured room, and never to one that is 80 % full', async () => {
  const measure = (bytes: number) =>
    rows(first!, "update databases set measured = json_object('databaseBytes', ?) where name = 'DB_1'", bytes);
  await measure(1);
  const before = ctx.meter.roundTrips;
  expect(await chooseShard(ctx)).toBe(1);
  expect(ctx.meter.roundTrips - before).toBe(1);
  await measure(7_900_000_000);
  expect(await chooseShard(ctx)).toBe(0);
  await closeForAccounts(ctx, 'DB');
  expect(await chooseShard(ctx)).toBe(1);
  await measure(8_000_000_000);
  await expect(chooseShard(ctx)).rejects.toThrow('No database accepts new accounts');
  await openForAccounts(ctx, 'DB', async () => {});
  await rows(first!, 'update databases set measured = null');
});

describe('callbacks', () => {
  test('of Google find the pass by its identifier', async () => {
    const { pass } = await makePass(await accountIn('DB_1'));
    const found = await findGooglePass(ctx, { passId: pass.id });
    expect([found?.found.pass.id, found?.ctx.database]).toEqual([pass.id, 'DB_1']);
    expect(await findGooglePass(ctx, { passId: uuidv7(9) })).toBeUndefined();
  });

  test('of Twilio find the message by its identifier', async () => {
    const acting = await accountIn('DB_1');
    const { pass } = await makePass(acting);
    const id = uuidv7(1);
    const columns = await rows(second!, 'select name, type from pragma_table_info(\'messages\') where "notnull"');
    const given: Record<string, unknown> = { id, account_id: acting.account.id, pass_id: pass.id, status: 'sent' };
    const names = columns.map(({ name }) => String(name));
    const values = columns.map(({ name, type }) => given[String(name)] ?? (type === 'text' ? 'sms' : 0));
    await rows(second!, `insert into messages (${names}) values (${names.map(() => '?')})`, ...values);
    await recordProviderStatus(ctx, id, { status: 'delivered', providerId: 'SM1' });
    expect(await rows(second!, 'select status from messages where id = ?', id)).toEqual([{ status: 'delivered' }]);
    await expect(recordProviderStatus(ctx, uuidv7(1), { status: 'sent', providerId: '' })).rejects.toThrow();
  });
});

describe('the map', () => {
  test('leads to accounts that were moved, and to their keys and pages', async () => {
    const created = await createAccount(ctx, { name: 'Moved' }, { database: 'DB' });
    const acting = await move(await actForAccount(ctx, created.account.id));
    expect([acting.database, placeOfAccount(ctx.env, acting.account.id)]).toEqual(['DB_1', 'DB_1']);
    expect(placesOfShard(ctx.env, 0)).toEqual(['DB', 'DB_1']);
    const [key] = await rows(first!, 'select * from api_keys where account_id = ?', acting.account.id);
    const names = Object.keys(key!);
    await rows(second!, `insert into api_keys (${names}) values (${names.map(() => '?')})`, ...Object.values(key!));
    await rows(first!, 'delete from api_keys where account_id = ?', acting.account.id);
    const caller = await authenticate(ctx, created.apiKey);
    expect([caller?.account.id, caller?.ctx.database]).toEqual([acting.account.id, 'DB_1']);
    const { pass } = await makePass(acting);
    expect(shardOf(pass.id)).toBe(0);
    expect((await findPage(ctx, { id: pass.id }, 'page'))?.pass.id).toBe(pass.id);
  });

  test('of an older version changes nothing', async () => {
    const before = placesOfShard(ctx.env, 0);
    keepMap(ctx.env, { version: 0, places: new Map() });
    expect(placesOfShard(ctx.env, 0)).toEqual(before);
  });
});

describe('a sub-customer in another database than its parent account', () => {
  let above: AccountContext;
  let below: AccountContext;
  beforeAll(async () => {
    above = await accountIn('DB');
    const { account } = await createSubCustomer(above, { name: 'Below', contact: {} });
    expect(shardOf(account.id)).toBe(0);
    below = await move(await actForAccount(ctx, account.id));
  });
  const isSuspended = async () =>
    (await rows(second!, 'select is_suspended from accounts where id = ?', below.account.id))[0]!.is_suspended;

  test('is suspended and resumed with it', async () => {
    await suspendAccount(ctx, above.account.id);
    expect(await isSuspended()).toBe(1);
    await resumeAccount(ctx, above.account.id);
    expect(await isSuspended()).toBe(0);
  });

  test('stays suspended if it was suspended itself', async () => {
    await suspendAccount(ctx, below.account.id);
    await suspendAccount(ctx, above.account.id);
    await resumeAccount(ctx, above.account.id);
    expect(await isSuspended()).toBe(1);
    await resumeAccount(ctx, below.account.id);
    expect(await isSuspended()).toBe(0);
  });

  test('is limited by the quotas of its parents', async () => {
    await setQuotas(above, { passes: 1 });
    await makePass(below);
    await expect(makePass(below)).rejects.toThrow('quota exceeded: passes');
    await setQuotas(above, { passes: null });
    await makePass(below);
  });

  test('gets copies of templates', async () => {
    const templateId = await makeTemplate(above);
    const { identifier } = await copyTemplate(above, templateId, {} as never, below.account.id);
    expect(await rows(second!, 'select account_id from templates where id = ?', identifier)).toEqual([
      { account_id: below.account.id },
    ]);
    expect(await rows(first!, 'select 1 from templates where id = ?', identifier)).toEqual([]);
  });

  test('creates sub-customers in its own database', async () => {
    const { account } = await createSubCustomer(below, { name: 'Further below', contact: {} });
    expect(shardOf(account.id)).toBe(1);
    expect(placeOfAccount(ctx.env, account.id)).toBe('DB_1');
  });
});

test('files of an image stay while another database uses it', async () => {
  const sha256 = 'a'.repeat(64);
  await rows(first!, 'insert into image_checks (sha256, due_at) values (?, 0)', sha256);
  await rows(second!, "insert into image_uses (sha256, user) values (?, 'pass:1')", sha256);
  await sweepImages(inDirectory(ctx));
  expect(deleted).toEqual([]);
  await rows(second!, 'delete from image_uses where sha256 = ?', sha256);
  await rows(second!, 'insert into image_checks (sha256, due_at) values (?, 0) on conflict do nothing', sha256);
  await sweepImages(inDatabase(ctx, 'DB_1'));
  expect(deleted).toContain(`images/${sha256}`);
  for (const one of [first!, second!]) expect(await rows(one, 'select 1 from image_checks')).toEqual([]);
});

const allChecks = async () => [await rows(first!, CHECKS), await rows(second!, CHECKS)];
const CHECKS = 'select due_at as dueAt, deleting_until_at as deletingUntilAt from image_checks';
/** Makes an image due for deletion in both databases. */
const releaseInBoth = (sha256: string) =>
  Promise.all([first!, second!].map((one) => rows(one, 'insert into image_checks values (?, 0, null)', sha256)));

test('of two databases that release an image at the same moment, one deletes its files', async () => {
  const sha256 = 'b'.repeat(64);
  await releaseInBoth(sha256);
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
  const { promise: hasCome, resolve: come } = Promise.withResolvers<void>();
  const slow = d1Around(first!.d1, async (work, statements) => {
    if (statements.some(({ sql }) => sql.includes('image_checks'))) {
      come();
      await isOpen;
    }
    return work();
  });
  const swept = sweepImages(inDatabase({ ...ctx, env: { ...ctx.env, DB: slow }, ...openDatabase(slow) }, 'DB_1'));
  await hasCome;
  await sweepImages(inDirectory(ctx));
  const isDeleted = (key: string) => key === `images/${sha256}`;
  expect(deleted.filter(isDeleted)).toEqual([]);
  expect(await allChecks()).toEqual([
    [{ dueAt: expect.any(Number), deletingUntilAt: null }],
    [{ dueAt: expect.any(Number), deletingUntilAt: expect.any(Number) }],
  ]);
  open();
  await swept;
  expect(deleted.filter(isDeleted)).toHaveLength(1);
  expect(await allChecks()).toEqual([[], []]);
});

test('an image that the run of another database is deleting is tried again, within two minutes', async () => {
  const [sha256, now] = ['c'.repeat(64), Date.now()];
  await releaseInBoth(sha256);
  await rows(second!, 'update image_checks set due_at = ?1, deleting_until_at = ?1', now + 30_000);
  await sweepImages(inDirectory(ctx), now);
  const [[check] = [], theirs] = await allChecks();
  expect(theirs).toEqual([{ dueAt: now + 30_000, deletingUntilAt: now + 30_000 }]);
  expect(check!.deletingUntilAt).toBeNull();
  expect(check!.dueAt).toBeGreaterThanOrEqual(now + 60_000);
  expect(check!.dueAt).toBeLessThanOrEqual(now + 120_000);
  expect(deleted).not.toContain(`images/${sha256}`);
  // The other run died.
  await sweepImages(inDirectory(ctx), now + 120_000);
  expect(deleted).toContain(`images/${sha256}`);
  expect(await allChecks()).toEqual([[], []]);
});
