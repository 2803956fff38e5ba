import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { publishDueNotifications } from '../../../src/domain/notifications/publish-due-notifications.ts';
import {
  NOTIFICATION_RETENTION_DAYS,
  purgeNotifications,
} from '../../../src/domain/notifications/purge-notifications.ts';
import { notifications } from '../../../src/domain/notifications/table.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { getDefinedPass } from '../../../src/domain/passes/find-pass.ts';
import { changeTemplate } from '../../../src/domain/template-changes/change-template.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { publishTemplate, publishVersion } from '../../../src/domain/templates/publish-template.ts';
import { purgeVersions } from '../../../src/domain/templates/purge-versions.ts';
import { wireDefinition } from '../../../src/domain/templates/stored-definition.ts';
import { templateVersions } from '../../../src/domain/templates/table.ts';
import { versionNumber } from '../../../src/domain/versions.ts';
import { withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

const DAY_MS = 24 * 3_600_000;
const BEGIN = Date.UTC(2030, 0, 1);
const FORGOTTEN = BEGIN + (NOTIFICATION_RETENTION_DAYS + 1) * DAY_MS;

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: BEGIN });
  database = await openLocalDatabase();
});
beforeEach(async () => {
  vi.setSystemTime(BEGIN);
  ctx = withQueue(await database.accountContext(), { jobs: [], isDown: false });
  templateId = await makeTemplate(ctx);
});
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
});

const edit = (description: string) =>
  changeTemplate(ctx, templateId, ({ definition }) =>
    TemplateDefinition.parse({ ...wireDefinition(ctx, definition), description }),
  );
const versions = async () => {
  const rows = await database.look
    .select({ version: templateVersions.version })
    .from(templateVersions)
    .where(eq(templateVersions.templateId, templateId));
  return rows.map(({ version }) => versionNumber(version)).sort();
};
const purge = async (now: number) => {
  await purgeNotifications(ctx, now);
  await purgeVersions(ctx, now);
  await purgeNotifications(ctx, now);
};

test('versions before a published one are deleted together with its publication', async () => {
  for (const description of ['two', 'three']) await edit(description);
  await publishTemplate(ctx, templateId);
  await edit('four');
  await purge(BEGIN + NOTIFICATION_RETENTION_DAYS * DAY_MS - 1);
  expect(await versions()).toEqual([1, 2, 3, 4]);
  await purge(FORGOTTEN);
  expect(await versions()).toEqual([3, 4]);
  expect(await database.look.$count(notifications, eq(notifications.templateId, templateId))).toBe(0);
});

test('every pass still shows the same, even one created with an unpublished version', async () => {
  const first = await createPass(ctx, templateId, {}, { wait: false });
  await edit('published');
  await publishTemplate(ctx, templateId);
  await edit('draft');
  const drafted = await createPass(ctx, templateId, {}, { wait: false });
  await edit('newest');
  await purge(FORGOTTEN);
  const shown = async (id: string) => (await getDefinedPass(ctx, id)).definition.description;
  expect(await shown(first.pass.id)).toBe('published');
  expect(await shown(drafted.pass.id)).toBe('draft');
  expect(await versions()).toEqual([2, 3, 4]);
});

test('a version stays while its successor’s publication is recent, and all stay while one is scheduled', async () => {
  await edit('two');
  await publishTemplate(ctx, templateId);
  vi.setSystemTime(FORGOTTEN - DAY_MS);
  await edit('three');
  await publishTemplate(ctx, templateId);
  await edit('four');
  await publishTemplate(ctx, templateId, '2035-01-01 00:00');
  await purge(FORGOTTEN);
  expect(await versions()).toEqual([2, 3, 4]);
  await publishDueNotifications(ctx, publishVersion, Date.UTC(2035, 0, 2));
  await purge(Date.UTC(2035, 0, 3));
  expect(await versions()).toEqual([3, 4]);
});

test('more than a page of versions is deleted in pages, and the publication last', async () => {
  await edit('last');
  await publishTemplate(ctx, templateId);
  await database.d1
    .prepare(
      `insert into template_versions with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 2500)
       select template_id, 1 + n, definition, created_at from template_versions, numbers where template_id = ? and version = 1`,
    )
    .bind(templateId)
    .run();
  await purgeNotifications(ctx, FORGOTTEN);
  expect(await database.look.$count(notifications, eq(notifications.templateId, templateId))).toBe(1);
  await purge(FORGOTTEN);
  expect(await versions()).toEqual([2]);
  expect(await database.look.$count(notifications, eq(notifications.templateId, templateId))).toBe(0);
});

test('executed pushes are kept as long, and scheduled ones stay', async () => {
  const row = { accountId: ctx.account.id, templateId, publicationAt: BEGIN, text: 'Hello', createdAt: BEGIN };
  await database.look.insert(notifications).values([
    { ...row, id: 'old', state: 'executed', executedAt: BEGIN },
    { ...row, id: 'young', state: 'executed', executedAt: FORGOTTEN - DAY_MS },
    { ...row, id: 'unfinished', state: 'executed', executedAt: BEGIN, dueAt: FORGOTTEN },
    { ...row, id: 'scheduled', state: 'scheduled', dueAt: FORGOTTEN },
  ]);
  const quiet = database.context();
  await purgeNotifications(quiet, BEGIN);
  await purgeVersions(quiet, BEGIN);
  expect(quiet.meter).toMatchObject({ rowsWritten: 0 });
  expect(quiet.meter.rowsRead).toBeLessThanOrEqual(4);
  await purgeNotifications(ctx, FORGOTTEN);
  const left = await database.look.select().from(notifications).where(eq(notifications.templateId, templateId));
  expect(left.map(({ id }) => id).sort()).toEqual(['scheduled', 'unfinished', 'young']);
});
