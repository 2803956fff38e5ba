import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AccountContext, Context } from '../../../src/domain/context.ts';
import { messages } from '../../../src/domain/messages/table.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { deletePass } from '../../../src/domain/passes/deletion/delete-pass.ts';
import { resumeImageImports } from '../../../src/domain/passes/images/resume-image-imports.ts';
import { passes } from '../../../src/domain/passes/table.ts';
import { patchPass, replacePass } from '../../../src/domain/passes/update-pass.ts';
import { deleteTemplate } from '../../../src/domain/templates/delete-template.ts';
import { templates } from '../../../src/domain/templates/table.ts';
import { COPIED_PASS, copyRow } from '../../support/copy-row.ts';
import { type FakeQueue, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

/* A queue that rejects a message doesn't revert the change, and the lost work is done later. */

const BACKGROUND = { wait: false };
const IMAGE = { urlToThumbnail: 'https://images.example.com/a.png' };
const MINUTE_MS = 60_000;

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
let queue: FakeQueue;

beforeAll(async () => {
  database = await openLocalDatabase();
  queue = { jobs: [], isDown: false };
  ctx = withQueue(await database.accountContext(), queue);
  templateId = await makeTemplate(ctx, {
    images: { perPassImages: { thumbnail: true } },
    sendoutOptions: { passCreationNotification: { subject: 'Your pass', emailTemplate: 'Here it is' } },
  });
});
beforeEach(() => Object.assign(queue, { jobs: [], isDown: false }));
afterAll(() => database.close());

const created = async (sent: Record<string, unknown> = {}) =>
  (await createPass(ctx, templateId, sent, BACKGROUND)).pass.id;

const passOf = async (id: string) => (await database.look.select().from(passes).where(eq(passes.id, id)))[0];

async function resumed(now: number): Promise<string[]> {
  queue.jobs = [];
  await resumeImageImports(withQueue(database.context(), queue), now);
  return queue.jobs.flatMap((job) => (job.type === 'import-pass-images' ? [job.passId] : []));
}

describe('a queue that rejects', () => {
  beforeEach(() => {
    queue.isDown = true;
  });

  test('does not revert a create, its message or its images', async () => {
    const id = await created({ ...IMAGE, emailRecipient: 'ada@example.com' });
    expect((await passOf(id))?.appearance.pendingImages?.images).toEqual({ thumbnail: IMAGE.urlToThumbnail });
    expect(
      await database.look.select({ status: messages.status }).from(messages).where(eq(messages.passId, id)),
    ).toEqual([{ status: 'queued' }]);
  });

  test.each([
    ['partial update', patchPass],
    ['replacement', replacePass],
  ])('does not revert a %s', async (_, verb) => {
    const id = await created();
    await verb(ctx, id, { ...IMAGE, emailRecipient: 'ada@example.com' }, BACKGROUND);
    expect(await passOf(id)).toMatchObject({ version: 2, emailRecipient: 'ada@example.com' });
  });

  test('does not revert deleting a pass or a template', async () => {
    const id = await created();
    const removed: string[] = [];
    await deletePass(ctx, id, async (_, passIds) => {
      // The row still tells whose files these are, in case the removal fails.
      expect(await passOf(id)).toBeDefined();
      removed.push(...passIds);
    });
    expect([await passOf(id), removed]).toEqual([undefined, [id]]);
    const other = await makeTemplate(ctx);
    await deleteTemplate(ctx, other);
    expect(await database.look.select().from(templates).where(eq(templates.id, other))).toEqual([]);
  });
});

describe('images whose job was lost', () => {
  test('are requested again after the job’s time, at growing intervals', async () => {
    const id = await created(IMAGE);
    expect(queue.jobs).toEqual([{ type: 'import-pass-images', accountId: ctx.account.id, passId: id }]);
    const before = await passOf(id);
    expect(await resumed(Date.now() + MINUTE_MS)).not.toContain(id);
    const later = Date.now() + 3 * MINUTE_MS;
    expect(await resumed(later)).toContain(id);
    expect(await resumed(later + MINUTE_MS)).not.toContain(id);
    expect(await resumed(later + 15 * MINUTE_MS)).toContain(id);
    // Repeated failures are retried at growing intervals.
    expect(await resumed(later + 40 * MINUTE_MS)).not.toContain(id);
    expect(await resumed(later + 45 * MINUTE_MS)).toContain(id);
    const eleventh = later + (2 ** 11 - 1) * 15 * MINUTE_MS;
    for (let times = 3; times < 11; times++) await resumed(later + (2 ** times - 1) * 15 * MINUTE_MS);
    expect(await resumed(eleventh)).toContain(id);
    expect(await resumed(eleventh + 2 ** 10 * 15 * MINUTE_MS)).toContain(id);
    const after = await passOf(id);
    const { images } = before!.appearance.pendingImages!;
    expect(after).toMatchObject({
      version: 1,
      modifiedAt: before!.modifiedAt,
      appearance: { pendingImages: { images } },
    });
  });

  test('are waited for since the last request for one of them', async () => {
    const id = await created(IMAGE);
    const dueAt = Date.now() - MINUTE_MS;
    const asked = sql`json_set(appearance, '$.pendingImages.dueAt', ${dueAt})`;
    await database.look.update(passes).set({ appearance: asked }).where(eq(passes.id, id));
    await patchPass(ctx, id, { storedValue: 1 }, BACKGROUND);
    expect((await passOf(id))?.appearance.pendingImages?.dueAt).toBe(dueAt);
    expect(await resumed(Date.now())).toContain(id);
    await patchPass(ctx, id, { urlToThumbnail: 'https://images.example.com/b.png' }, BACKGROUND);
    expect((await passOf(id))?.appearance.pendingImages?.resumed).toBeUndefined();
    expect(await resumed(Date.now())).not.toContain(id);
  });

  test('are requested by one of two simultaneous crons', async () => {
    const id = await created(IMAGE);
    queue.jobs = [];
    const now = Date.now() + 3 * MINUTE_MS;
    await Promise.all([1, 2, 3].map(() => resumeImageImports(withQueue(database.context(), queue), now)));
    expect(queue.jobs.filter((job) => 'passId' in job && job.passId === id)).toHaveLength(1);
  });

  test('cost the cron one round trip and a handful of rows, among any number of passes', async () => {
    const run = async <Row>(statement: string, params: unknown[]) =>
      (
        await database.d1
          .prepare(statement)
          .bind(...params)
          .all<Row>()
      ).results;
    const own = {
      ...COPIED_PASS,
      id: "printf('%s-7%03x-8000-%012x', substr(id, 1, 13), numbers.value % 4096, numbers.value)",
    };
    const params = [await created({ userProvidedId: 'no images' })];
    await copyRow(run, { table: 'passes', where: 'id = ?', params, rows: 2_000, own });
    await resumed(Date.now() + 3 * MINUTE_MS);
    const cost = async (now: number) => {
      const some: Context = withQueue(database.context(), queue);
      await resumeImageImports(some, now);
      const { roundTrips, rowsRead, rowsWritten } = some.meter;
      return { roundTrips, rowsRead, rowsWritten };
    };
    expect(await cost(Date.now())).toEqual({ roundTrips: 1, rowsRead: expect.any(Number), rowsWritten: 0 });
    expect((await cost(Date.now())).rowsRead).toBeLessThanOrEqual(4);
    await created(IMAGE);
    const due = await cost(Date.now() + 3 * MINUTE_MS);
    expect(due.rowsRead).toBeLessThanOrEqual(7);
    expect(due.rowsWritten).toBeLessThanOrEqual(3);
  });
});
