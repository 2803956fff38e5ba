import * as drizzle from 'drizzle-orm';
import { and, eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../../src/domain/accounts/table.ts';
import { apiKeys } from '../../src/domain/api-keys/table.ts';
import type { Db } from '../../src/platform/db.ts';
import { prepareQuery } from '../../src/platform/prepared-query.ts';
import { type LocalDatabase, openLocalDatabase } from '../domain/local-database.ts';

let local: LocalDatabase;
beforeAll(async () => {
  local = await openLocalDatabase();
});
afterAll(() => local.close());

let built = 0;
const keyQuery = prepareQuery((db) => {
  built++;
  return db
    .select({ key: { active: apiKeys.active, lastUsedAt: apiKeys.lastUsedAt }, account: { name: accounts.name } })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(eq(apiKeys.accountId, sql.placeholder('account')));
});

const ROW = { key: { active: true, lastUsedAt: null }, account: { name: 'Test account' } };

test('is built once and answers each caller, in the shape of the selection', async () => {
  const [one, other] = [await local.accountContext(), await local.accountContext()];
  await one.db.update(apiKeys).set({ lastUsedAt: 5 }).where(eq(apiKeys.accountId, one.account.id));
  expect(await keyQuery(one.db, { account: one.account.id })).toEqual([
    { ...ROW, key: { active: true, lastUsedAt: 5 } },
  ]);
  expect(await keyQuery(other.db, { account: other.account.id })).toEqual([ROW]);
  expect(await keyQuery(other.db, { account: 'nobody' })).toEqual([]);
  expect(built).toBe(1);
});

test('runs in a batch with others, in one metered round trip', async () => {
  const { db, meter, account } = await local.accountContext();
  const before = meter.roundTrips;
  const [rows, names] = await db.batch([
    keyQuery(db, { account: account.id }),
    db.select({ name: accounts.name }).from(accounts).where(eq(accounts.id, account.id)),
  ]);
  expect(rows).toEqual([ROW]);
  expect(names).toEqual([{ name: 'Test account' }]);
  expect(meter.roundTrips).toBe(before + 1);
});

test('does not run without a value for each placeholder', async () => {
  const { db } = await local.accountContext();
  await expect(keyQuery(db, {})).rejects.toThrow('account');
});

test('reads every kind of column and expression like drizzle, and tables of left joins without a row', async () => {
  const { db, account } = await local.accountContext();
  await db
    .update(accounts)
    .set({ ancestorIds: [account.id], createdAt: 7 })
    .where(eq(accounts.id, account.id));
  const selections = [
    (of: Db) => of.select().from(accounts).where(eq(accounts.id, account.id)),
    (of: Db) =>
      of
        .select({ doubled: sql<number>`2 * created_at`.mapWith(Number), aliased: sql<string>`'x'`.as('aliased') })
        .from(accounts)
        .where(eq(accounts.id, account.id)),
    (of: Db) =>
      of
        .select({ account: accounts, key: { scopes: apiKeys.scopes, active: apiKeys.active, lookup: apiKeys.lookup } })
        .from(accounts)
        .innerJoin(apiKeys, eq(apiKeys.accountId, accounts.id))
        .where(eq(accounts.id, account.id)),
    (of: Db) =>
      of
        .select({ account: { id: accounts.id }, key: { name: apiKeys.name } })
        .from(accounts)
        .leftJoin(apiKeys, and(eq(apiKeys.accountId, accounts.id), eq(apiKeys.name, 'none')))
        .where(eq(accounts.id, account.id)),
  ];
  for (const select of selections) {
    const expected = await readByDrizzle(select(db).prepare());
    expect(expected).toHaveLength(1);
    expect(await select(db)).toEqual(expected);
    expect(await db.batch([select(db)])).toEqual([expected]);
    expect(await prepareQuery<unknown[]>(select as never)(db, {})).toEqual(expected);
  }
});

/** Internal parts of drizzle, which its types leave out. */
const { mapResultRow } = drizzle as unknown as {
  mapResultRow(fields: unknown, row: unknown[], joinsNotNullableMap: unknown): unknown;
};

/** Returns the rows of a query as drizzle reads them. */
async function readByDrizzle(query: { values(): Promise<unknown> }): Promise<unknown[]> {
  const { fields, joinsNotNullableMap } = query as unknown as Record<string, unknown>;
  const rows = (await query.values()) as unknown[][];
  return rows.map((row) => mapResultRow(fields, row, joinsNotNullableMap));
}
