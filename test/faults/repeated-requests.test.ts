import { randomUUID } from 'node:crypto';
import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSubCustomer } from '../../src/domain/accounts/create-account.ts';
import { accounts } from '../../src/domain/accounts/table.ts';
import { authenticate } from '../../src/domain/api-keys/authenticate.ts';
import { apiKeys } from '../../src/domain/api-keys/table.ts';
import { ConfigurationFields } from '../../src/domain/app-configurations/configuration-fields.ts';
import { createLink } from '../../src/domain/app-configurations/links.ts';
import { appConfigurationLinks, appConfigurations } from '../../src/domain/app-configurations/table.ts';
import { createConfiguration } from '../../src/domain/app-configurations/write-configuration.ts';
import { createScan } from '../../src/domain/app-scans/create-scan.ts';
import { appScans } from '../../src/domain/app-scans/table.ts';
import { auditEntries } from '../../src/domain/audit/table.ts';
import type { AccountContext } from '../../src/domain/context.ts';
import { events } from '../../src/domain/events/table.ts';
import { messages } from '../../src/domain/messages/table.ts';
import { createNotification } from '../../src/domain/notifications/manage-notifications.ts';
import { notifications } from '../../src/domain/notifications/table.ts';
import { createPass } from '../../src/domain/passes/create-pass.ts';
import { deliverPass } from '../../src/domain/passes/deliver-pass.ts';
import { openTokens } from '../../src/domain/passes/page/links.ts';
import { sendPushes } from '../../src/domain/passes/push/send-push.ts';
import { passes } from '../../src/domain/passes/table.ts';
import { rotateLinks, voidPass } from '../../src/domain/passes/update-pass.ts';
import { createProject } from '../../src/domain/projects/projects.ts';
import { projects } from '../../src/domain/projects/table.ts';
import { pushFanOuts } from '../../src/domain/pushes/table.ts';
import { createSegment } from '../../src/domain/search/segments.ts';
import { segments } from '../../src/domain/search/table.ts';
import { copyTemplate } from '../../src/domain/templates/copy-template.ts';
import { createTemplate } from '../../src/domain/templates/create-template.ts';
import { TemplateDefinition } from '../../src/domain/templates/definition.ts';
import { templates } from '../../src/domain/templates/table.ts';
import { rotateSecret, testSubscription } from '../../src/domain/webhooks/manage-subscription.ts';
import { subscribe } from '../../src/domain/webhooks/subscribe.ts';
import { webhookSubscriptions } from '../../src/domain/webhooks/table.ts';
import { openDatabase } from '../../src/platform/db.ts';
import { shardOf, timeOf, UUID_PATTERN } from '../../src/platform/ids.ts';
import { type LocalDatabase, openMemoryDatabase } from '../domain/local-database.ts';
import { failingWrite } from '../support/failing-once.ts';
import { sampleTemplate } from '../support/samples.ts';

/*
 * The Worker crashes or the database fails, before or after a request's write, and the request is repeated with its
 * key: whatever it creates exists once, with one event, and both replies have the same identifier.
 */

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const SINCE = Date.parse('2026-11-20T08:00:00Z');
const TARGET = { target_url: 'https://hooks.example.com/passes', event: 'pass_created' };
const definition = (fields: object = {}) => TemplateDefinition.parse(sampleTemplate(fields as never));
const FIELDS = { userProvidedId: 'one', enforceUniqueUserProvidedId: true };

interface Kind {
  /** Runs the operation, and returns the reply that a caller gets. */
  run(ctx: AccountContext, subject: string): Promise<unknown>;
  /** Tables in which the account's rows are counted, compared with a single run. */
  tables: SQLiteTable[];
  /** Creates the prerequisite, and returns its identifier. */
  prepare?(ctx: AccountContext): Promise<string>;
}

const newTemplate = async (ctx: AccountContext) =>
  (
    await createTemplate(
      ctx,
      definition({ sendoutOptions: { adHoc: { subject: 'Your pass', emailTemplate: 'Here' } } }),
    )
  ).identifier;
const newPass = async (ctx: AccountContext) => {
  const { pass } = await createPass(ctx, await newTemplate(ctx), {}, { wait: false });
  await database.look.update(passes).set({ numberOfActive: 1 }).where(eq(passes.id, pass.id));
  return pass.id;
};
const newConfiguration = async (ctx: AccountContext) =>
  (await createConfiguration(ctx, ConfigurationFields.parse({ name: 'Door', scanMode: 0 }))).configuration.id;
const newWebhook = async (ctx: AccountContext) => (await subscribe(ctx, TARGET)).subscription.id;

const KINDS: Record<string, Kind> = {
  pass: {
    prepare: newTemplate,
    async run(ctx, templateId) {
      const { pass } = await createPass(ctx, templateId, FIELDS, { wait: false });
      return [pass.id, pass.barcodeValue, openTokens(ctx.env, pass)];
    },
    tables: [passes, events],
  },
  template: {
    run: async (ctx) => createTemplate(ctx, definition({ userProvidedId: 'mine' })),
    tables: [templates, events],
  },
  copy: {
    prepare: newTemplate,
    run: (ctx, id) => copyTemplate(ctx, id, { name: 'Copy' }),
    tables: [templates, events],
  },
  project: { run: (ctx) => createProject(ctx, 'Project'), tables: [projects, auditEntries] },
  segment: { run: (ctx) => createSegment(ctx, 'All', {}), tables: [segments, auditEntries] },
  notification: {
    prepare: newTemplate,
    run: (ctx, id) =>
      createNotification(ctx, id, { pushNotificationText: 'Hello', publicationDate: '2027-01-01 10:00' }),
    tables: [notifications, auditEntries],
  },
  configuration: { run: newConfiguration, tables: [appConfigurations, auditEntries] },
  link: {
    prepare: newConfiguration,
    async run(ctx, id) {
      const { link, token, pin } = await createLink(ctx, id, { canChangeConfig: false });
      return [link.id, token, pin];
    },
    tables: [appConfigurationLinks, auditEntries],
  },
  webhook: {
    async run(ctx) {
      const { subscription, secret, accessToken } = await subscribe(ctx, TARGET, { generateAccessToken: true });
      return [subscription.id, secret, accessToken];
    },
    tables: [webhookSubscriptions, auditEntries],
  },
  'pull webhook': {
    run: async (ctx) => (await subscribe(ctx, { pullMode: true, event: 'pass_created' })).subscription.id,
    tables: [webhookSubscriptions, auditEntries],
  },
  'test event': { prepare: newWebhook, run: testSubscription, tables: [events, auditEntries] },
  'rotated secret': {
    prepare: newWebhook,
    run: async (ctx, id) => (await rotateSecret(ctx, id)).secret,
    tables: [auditEntries],
  },
  message: {
    prepare: newPass,
    run: (ctx, id) => deliverPass(ctx, id, 'ada@example.com'),
    tables: [messages],
  },
  'push to many passes': {
    prepare: newPass,
    run: (ctx, id) => sendPushes(ctx, { listOfPasses: [id], pushNotificationText: 'Hello' }),
    tables: [pushFanOuts, auditEntries],
  },
  scan: {
    async prepare(ctx) {
      const { pass } = await createPass(ctx, await newTemplate(ctx), { barcodeValue: 'B1' }, { wait: false });
      await newConfiguration(ctx);
      return pass.id;
    },
    async run(ctx) {
      const [configuration] = await ctx.db
        .select()
        .from(appConfigurations)
        .where(eq(appConfigurations.accountId, ctx.account.id));
      const { scan, found } = await createScan(ctx, { configurationId: configuration!.id, barcode: 'B1' });
      return [scan.id, scan.scanStatus, scan.reason, found?.pass.voided];
    },
    tables: [appScans, events],
  },
  void: { prepare: newPass, run: (ctx, id) => voidPass(ctx, id, true), tables: [events] },
  'new links': {
    prepare: newPass,
    async run(ctx, id) {
      const { pass } = await rotateLinks(ctx, id);
      return [pass.version, openTokens(ctx.env, pass)];
    },
    tables: [events],
  },
};

async function counts(ctx: AccountContext, tables: SQLiteTable[]): Promise<number[]> {
  return Promise.all(
    tables.map(async (table) => {
      const { accountId } = getTableColumns(table);
      const rows = await database.look.select({ n: sql<number>`1` }).from(table).where(eq(accountId!, ctx.account.id));
      return rows.length;
    }),
  );
}

const repeatable = (isRepeat: boolean, seed: string) => ({ repeatable: { seed, since: SINCE, isRepeat } });

/** Returns how many rows a single run adds. */
async function onceAdds({ prepare, run, tables }: Kind): Promise<number[]> {
  const ctx = await database.accountContext();
  const subject = (await prepare?.(ctx)) ?? '';
  const before = await counts(ctx, tables);
  await run(ctx, subject);
  return (await counts(ctx, tables)).map((n, i) => n - before[i]!);
}

describe.each(Object.entries(KINDS))('%s', (_, kind) => {
  const { prepare, run, tables } = kind;

  async function expectOnce(act: (ctx: AccountContext, subject: string, seed: string) => Promise<void>) {
    const ctx = await database.accountContext();
    const subject = (await prepare?.(ctx)) ?? '';
    const before = await counts(ctx, tables);
    await act(ctx, subject, randomUUID());
    expect((await counts(ctx, tables)).map((n, i) => n - before[i]!)).toEqual(await onceAdds(kind));
  }

  test.each(['before', 'after'] as const)('exists once if its Worker crashes %s the write', (when) =>
    expectOnce(async (ctx, subject, seed) => {
      const fault = { message: 'D1_ERROR: the Worker is gone', isDead: true };
      const dying = { ...ctx, ...repeatable(false, seed), ...openDatabase(failingWrite(database.d1, when, fault)) };
      await expect(run(dying, subject)).rejects.toThrow();
      const repeat = await run({ ...ctx, ...repeatable(true, seed) }, subject);
      expect(await run({ ...ctx, ...repeatable(true, seed) }, subject)).toEqual(repeat);
    }),
  );

  test.each(['before', 'after'] as const)('exists once if the connection is lost %s the write', (when) =>
    expectOnce(async (ctx, subject) => {
      const fault = { message: 'D1_ERROR: Network connection lost.', isDead: false };
      await run({ ...ctx, ...openDatabase(failingWrite(database.d1, when, fault)) }, subject);
    }),
  );

  test('exists once if two requests believe they are the first', () =>
    expectOnce(async (ctx, subject, seed) => {
      const own = () => ({ ...ctx, ...openDatabase(database.d1), ...repeatable(false, seed) });
      const [one, other] = await Promise.allSettled([run(own(), subject), run(own(), subject)]);
      expect([one.status, other.status]).toContain('fulfilled');
    }));
});

test('a sub-customer exists once, and the key in the last reply works', async () => {
  for (const when of ['before', 'after'] as const) {
    const ctx = await database.accountContext();
    const keyed = (isRepeat: boolean) => ({ ...ctx, ...repeatable(isRepeat, when) });
    const input = { name: 'Sub', contact: { lastName: 'Lovelace' } } as never;
    const fault = { message: 'D1_ERROR: the Worker is gone', isDead: true };
    const dying = { ...keyed(false), ...openDatabase(failingWrite(database.d1, when, fault)) };
    await expect(createSubCustomer(dying, input)).rejects.toThrow();
    const first = await createSubCustomer(keyed(true), input);
    const again = await createSubCustomer(keyed(true), input);
    expect([again.account.id, again.apiKeyId]).toEqual([first.account.id, first.apiKeyId]);
    const children = await database.look.select().from(accounts).where(eq(accounts.parentAccountId, ctx.account.id));
    expect(children).toHaveLength(1);
    expect(await authenticate(database.context(), first.apiKey)).toBeUndefined();
    expect((await authenticate(database.context(), again.apiKey))?.account.id).toBe(first.account.id);
    await database.look.update(apiKeys).set({ lastUsedAt: 1 }).where(eq(apiKeys.id, first.apiKeyId));
    await expect(createSubCustomer(keyed(true), input)).rejects.toMatchObject({ kind: 'conflict' });
  }
});

test('identifiers are derived from the key: another key has others, with the time of the first claim and the shard', async () => {
  const ctx = await database.accountContext();
  const create = (seed: string) => createProject({ ...ctx, ...repeatable(false, seed) }, 'Project');
  const [one, other] = [await create('one'), await create('other')];
  expect(one).not.toBe(other);
  for (const id of [one, other]) {
    expect(id).toMatch(UUID_PATTERN);
    expect([timeOf(id), shardOf(id)]).toEqual([SINCE, shardOf(ctx.account.id)]);
  }
});
