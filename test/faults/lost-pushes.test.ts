import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commit } from '../../src/domain/commit.ts';
import type { AccountContext } from '../../src/domain/context.ts';
import type { Job } from '../../src/domain/jobs.ts';
import { createPass } from '../../src/domain/passes/create-pass.ts';
import { passes } from '../../src/domain/passes/table.ts';
import { requestDevicePush, requestPublications } from '../../src/domain/pushes/request-pushes.ts';
import { resumePushes } from '../../src/domain/pushes/resume-pushes.ts';
import { pushToDevice } from '../../src/wallets/apple/push-passes.ts';
import { publishPassToGoogle } from '../../src/wallets/google/push.ts';
import { type LocalDatabase, openMemoryDatabase } from '../domain/local-database.ts';
import { makeTemplate } from '../domain/search/crowd.ts';
import { type FakeQueue, withQueue } from '../support/fake-queue.ts';

/* The request behind a lost queue message is stored in a row, and the cron sends it again until it is done. */

let database: LocalDatabase;
let ctx: AccountContext;
const queue: FakeQueue = { jobs: [], isDown: false };

beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = withQueue(await database.accountContext(), queue);
});
afterAll(() => database.close());

const newPass = async () => (await createPass(ctx, await makeTemplate(ctx), {}, { wait: false })).pass.id;
const device = (passId: string) => ({ passId, passTypeId: 'pass.com.example', deviceId: 'a device: of spaces' });

test.each<[string, (passId: string) => object, (passId: string) => ReturnType<typeof requestPublications>]>([
  [
    'the first object of a pass at Google',
    (passId) => ({ type: 'publish-to-google', passId }),
    (passId) => requestPublications(ctx, sql`${passes.id} = ${passId} and ${passes.accountId} = ${ctx.account.id}`),
  ],
  [
    'a push to a device with an old file',
    (passId) => ({ type: 'push-to-device', ...device(passId) }),
    (passId) => requestDevicePush(ctx, device(passId), sql`true`),
  ],
])('%s is requested again each minute, until it is done', async (_, named, request) => {
  const passId = await newPass();
  const job = { ...named(passId), accountId: ctx.account.id } as Job;
  queue.isDown = true;
  await commit(ctx, [request(passId)]);
  queue.isDown = false;
  const resumed = async (afterMs: number) => {
    queue.jobs = [];
    await resumePushes(withQueue(database.context(), queue), Date.now() + afterMs);
    return queue.jobs;
  };
  expect(await resumed(0)).toEqual([]);
  expect(await resumed(61_000)).toEqual([job]);
  expect(await resumed(61_000)).toEqual([]);
  expect(await resumed(200_000)).toEqual([job]);
  const fresh = withQueue(database.context(), queue);
  if (job.type === 'publish-to-google') await publishPassToGoogle(fresh, job);
  if (job.type === 'push-to-device') await pushToDevice(fresh, job);
  expect(await resumed(600_000)).toEqual([]);
  const { results } = await database.d1.prepare('select * from requested_pushes where pass_id = ?').bind(passId).all();
  expect(results).toEqual([]);
});
