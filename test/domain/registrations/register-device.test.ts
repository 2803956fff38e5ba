import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { openTokens } from '../../../src/domain/passes/page/links.ts';
import { patchPass } from '../../../src/domain/passes/update-pass.ts';
import { registerDevice } from '../../../src/domain/registrations/register-device.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { failingWrite } from '../../support/failing-once.ts';
import { type FakeQueue, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

const PASS_TYPE_ID = 'pass.com.example.registered';

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
const queue: FakeQueue = { jobs: [], isDown: false };
const run = (statement: string, ...params: unknown[]) =>
  database.d1
    .prepare(statement)
    .bind(...params)
    .run();

beforeAll(async () => {
  database = openMemoryDatabase();
  // A registration needs only the certificate's pass type.
  await run(
    `insert into certificates (id, pass_type_id, team_id, certificate_pem, intermediate_pem, private_key_sealed, development, valid_from, valid_to, created_at)
     values ('shared', ?, 'TEAM', '', '', '', 1, 0, 1, 0)`,
    PASS_TYPE_ID,
  );
});
afterAll(() => database.close());
beforeEach(async () => {
  ctx = withQueue(await database.accountContext(), queue);
  templateId = await makeTemplate(ctx);
});

/** Registers a device for a pass created before `change`, and returns the pushes to the device. */
async function pushedAfter(change: (passId: string) => Promise<unknown>, d1 = database.d1) {
  const { pass } = await createPass(ctx, templateId, {}, { wait: false });
  await change(pass.id);
  queue.jobs = [];
  const device = { deviceId: 'device', passTypeId: PASS_TYPE_ID, passId: pass.id };
  const { authentication: token } = openTokens(ctx.env, pass);
  expect(await registerDevice({ ...ctx, ...openDatabase(d1) }, device, { token, pushToken: 'f00d' })).toBe('new');
  return queue.jobs.filter(({ type }) => type === 'push-to-device');
}

test('a registering device is pushed if the pass has changed since its creation', async () => {
  expect(await pushedAfter((id) => patchPass(ctx, id, { storedValue: 1 }, { wait: false }))).toHaveLength(1);
});

test('a registering device is pushed if the template was published again since the pass’s creation', async () => {
  const pushed = await pushedAfter(async () => {
    await run(
      `insert into template_versions (template_id, version, definition, created_at)
       select template_id, 2, definition, created_at from template_versions where template_id = ?`,
      templateId,
    );
    await run('update templates set version = 2, published_version = 2 where id = ?', templateId);
  });
  expect(pushed).toHaveLength(1);
});

test('a device that registers for an unchanged pass is not pushed', async () => {
  expect(await pushedAfter(async () => {})).toEqual([]);
});

test.each(['before', 'after'] as const)(
  'a registering device is pushed at once if the database fails %s its write, and only for a changed pass',
  async (when) => {
    const failing = () =>
      failingWrite(database.d1, when, { message: 'D1_ERROR: Network connection lost', isDead: false });
    const change = (id: string) => patchPass(ctx, id, { storedValue: 1 }, { wait: false });
    expect(await pushedAfter(change, failing())).toHaveLength(1);
    expect(await pushedAfter(async () => {}, failing())).toEqual([]);
  },
);
