import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificates } from '../../../src/domain/certificates/table.ts';
import type { Context } from '../../../src/domain/context.ts';
import { passes } from '../../../src/domain/passes/table.ts';
import { listChangedPasses } from '../../../src/domain/registrations/list-changed-passes.ts';
import { registrations } from '../../../src/domain/registrations/table.ts';
import { templates } from '../../../src/domain/templates/table.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const PASS_TYPE_ID = 'pass.com.example.test';

let database: LocalDatabase;
let ctx: Context;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = database.context();
});
afterAll(() => database.close());

/** Creates a device with `count` passes of one template. */
async function library(count: number) {
  const templateId = uuidv7();
  const accountId = uuidv7();
  const of = { accountId, createdAt: 0, modifiedAt: 0 };
  await ctx.db.insert(templates).values({ ...of, id: templateId, name: 'T', publishedAt: 0, uniqueProperties: [] });
  const device = { deviceId: crypto.randomUUID(), passTypeId: PASS_TYPE_ID };
  const ids = Array.from({ length: count }, () => uuidv7());
  const statements = ids.flatMap((id) => [
    ctx.db.insert(passes).values({
      ...of,
      id,
      templateId,
      templateVersion: 1,
      generatedId: id,
      barcodeValue: id,
      properties: {},
      appearance: {},
      pageToken: id,
      fileToken: id,
      authenticationToken: id,
    }),
    ctx.db
      .insert(registrations)
      .values({ ...device, passId: id, accountId: of.accountId, pushToken: 'f00d', registeredAt: 0 }),
  ]);
  await ctx.db.batch(statements as [(typeof statements)[0]]);
  const ask = (since?: string) => listChangedPasses(ctx, { ...device, shard: 0 }, since);
  return { templateId, accountId, ids, ask };
}

const change = (id: string) =>
  database.d1.prepare('update passes set version = version + 1 where id = ?').bind(id).run();

describe('listChangedPasses', () => {
  test('lists all passes again after the certificate of their type is renewed', async () => {
    const { ids, accountId, ask } = await library(3);
    const certificate = (validTo: number) => ({
      ...{ id: uuidv7(), accountId, passTypeId: PASS_TYPE_ID, teamId: 'TEAM012345', certificatePem: '' },
      ...{ intermediatePem: '', privateKeySealed: '', development: false, validFrom: 0, validTo, createdAt: 0 },
    });
    await ctx.db.insert(certificates).values(certificate(1_000));
    const { lastUpdated } = (await ask())!;
    expect(await ask(lastUpdated)).toBeUndefined();
    await ctx.db.insert(certificates).values(certificate(2_000));
    const renewed = (await ask(lastUpdated))!;
    expect(renewed.serialNumbers).toEqual(ids);
    expect(await ask(renewed.lastUpdated)).toBeUndefined();
  });

  test('lists each of any changes between two lists exactly once, whatever their order', async () => {
    const { ids, ask } = await library(5);
    let { lastUpdated } = (await ask())!;
    for (const changed of [[0], [4], [4, 1], [0, 1, 2, 3, 4], [2]]) {
      expect(await ask(lastUpdated)).toBeUndefined();
      for (const at of changed) await change(ids[at]!);
      const listed = (await ask(lastUpdated))!;
      expect(listed.serialNumbers).toEqual(ids.filter((_, at) => changed.includes(at)));
      lastUpdated = listed.lastUpdated;
    }
  });

  test('lists passes added to the device since, and none because another left', async () => {
    const { ids, ask } = await library(3);
    const whole = (await ask())!;
    const end = (endedAt: number | null) =>
      database.look.update(registrations).set({ endedAt }).where(eq(registrations.passId, ids[1]!));
    await end(1);
    expect(await ask(whole.lastUpdated)).toBeUndefined();
    const smaller = (await ask())!;
    expect(smaller.serialNumbers).toEqual([ids[0], ids[2]]);
    await end(null);
    expect((await ask(smaller.lastUpdated))?.serialNumbers).toEqual([ids[1]]);
  });

  test('treats a foreign tag like no tag', async () => {
    const { ids, ask } = await library(2);
    for (const tag of ['', '0', '1760000000000', 'x'.repeat(5_000), '\n😀'])
      expect((await ask(tag))?.serialNumbers).toEqual(ids);
  });

  test('gives a large library a short tag, which detects changes', async () => {
    const { ids, ask } = await library(300);
    const first = (await ask())!;
    expect(first.lastUpdated).toHaveLength(16);
    expect(await ask(first.lastUpdated)).toBeUndefined();
    await change(ids[299]!);
    const second = (await ask(first.lastUpdated))!;
    expect(second.serialNumbers).toEqual(ids);
    expect(await ask(second.lastUpdated)).toBeUndefined();
  });

  test('reads the rows of the device and no others', async () => {
    const { ask, ids } = await library(4);
    await library(200);
    const before = ctx.meter.rowsRead;
    await ask();
    // A registration, its pass and its template each, and the index entry after the last.
    expect(ctx.meter.rowsRead - before).toBeLessThanOrEqual(3 * ids.length + 1);
  });

  test('lists all passes of a deleted template once, as gone', async () => {
    const { templateId, ids, ask } = await library(2);
    const { lastUpdated } = (await ask())!;
    await database.d1.prepare('delete from templates where id = ?').bind(templateId).run();
    const listed = (await ask(lastUpdated))!;
    expect(listed.serialNumbers).toEqual(ids);
    await database.d1.prepare('delete from passes where template_id = ?').bind(templateId).run();
    expect(await ask(listed.lastUpdated)).toBeUndefined();
  });
});
