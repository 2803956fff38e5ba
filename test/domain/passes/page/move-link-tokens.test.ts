import { sql } from 'drizzle-orm';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../../src/domain/context.ts';
import { earlierEventsNamed } from '../../../../src/domain/events/earlier-events.ts';
import { earlierEvents } from '../../../../src/domain/events/table.ts';
import { createPass } from '../../../../src/domain/passes/create-pass.ts';
import { isOwnPass } from '../../../../src/domain/passes/own-pass.ts';
import { findBundlePage, findPage } from '../../../../src/domain/passes/page/find-page.ts';
import {
  digestOf,
  isAuthentication,
  type LinkTokens,
  openBundleCopy,
  openTokens,
} from '../../../../src/domain/passes/page/links.ts';
import { moveLinkTokens } from '../../../../src/domain/passes/page/move-link-tokens.ts';
import { completeBody } from '../../../../src/domain/passes/pass-event.ts';
import { type Pass, passes } from '../../../../src/domain/passes/table.ts';
import { patchPass, rotateLinks } from '../../../../src/domain/passes/update-pass.ts';
import { searchPasses } from '../../../../src/domain/search/search-passes.ts';
import { type DeliveredRow, eventColumns } from '../../../../src/domain/webhooks/claim.ts';
import { rawStatement } from '../../../../src/platform/raw-statement.ts';
import { OLD_TOKEN_CHARS } from '../../../../src/platform/shard-tokens.ts';
import { withJobs } from '../../../support/fake-queue.ts';
import { openFirstSchema, rowsOf } from '../../../support/migrations.ts';
import { type LocalDatabase, openLocalDatabase } from '../../local-database.ts';
import { makeTemplate } from '../../search/crowd.ts';

let database: LocalDatabase;
let ctx: AccountContext;
let template: string;
let bundleToken: string;
const noFiles = async () => null;

beforeEach(async () => {
  await database?.close();
  database = await openLocalDatabase();
  ctx = withJobs(await database.accountContext());
  template = await makeTemplate(ctx);
});
afterAll(() => database.close());

const run = (sql: string, ...values: unknown[]) =>
  database.d1
    .prepare(sql)
    .bind(...values)
    .all<Record<string, unknown>>();
const move = () => moveLinkTokens(ctx, noFiles);
const parts = async () => (await run('select part, after from link_token_moves order by part')).results;
const rowOf = async (id: string) => (await ctx.db.select().from(passes).where(isOwnPass(ctx.account.id, id)))[0]!;

/** Returns a token in the previous release's format: 22 random characters without a prefix. */
const withoutShard = (token: string) => token.slice(-OLD_TOKEN_CHARS);

/**
 * Creates a pass as the previous release stored it: its tokens, its bundle's, and texts with its link in plain text.
 */
async function stored(sent: Record<string, unknown>): Promise<{ id: string; tokens: LinkTokens }> {
  const { pass } = await createPass(ctx, template, sent, { wait: true });
  const { page: newer, file, authentication } = openTokens(ctx.env, pass);
  const tokens = { page: withoutShard(newer), file: withoutShard(file), authentication };
  const copy = openBundleCopy(ctx.env, pass);
  const bundle = copy === undefined ? null : withoutShard(copy);
  if (bundle) bundleToken = bundle;
  const page = bundle ?? tokens.page;
  await run(
    `update passes set page_token = ?, file_token = ?, authentication_token = ?, secrets = null, bundle_page_token = ?, push_text = ?
      where id = ?`,
    ...[tokens.page, tokens.file, tokens.authentication, bundle, `Look at ${ctx.baseUrl}/p/${page}`, pass.id],
  );
  if (bundle) await run('update bundle_links set page_token = ?, secret = null', bundle);
  // Where the previous release stored events.
  await run(
    `insert into events (id, account_id, type, template_id, pass_id, body, created_at)
      select id, account_id, type, template_id, pass_id, json_object('linkToPassPage', ?), created_at
      from account_events where pass_id = ?`,
    `${ctx.baseUrl}/p/${page}`,
    pass.id,
  );
  await run('delete from account_events where pass_id = ?', pass.id);
  const message = `insert into messages (id, account_id, pass_id, template_id, channel, kind, recipient, subject, status, attempts, created_at)
    values (?, ?, ?, ?, 'email', 'creation', 'ada@example.com', ?, 'sent', 1, 0)`;
  await run(message, crypto.randomUUID(), ctx.account.id, pass.id, template, `See ${ctx.baseUrl}/p/${page}`);
  await run(
    `insert into events (id, account_id, type, pass_id, body, created_at) values (?, ?, 'message_sent', ?, ?, 0)`,
    ...[crypto.randomUUID(), ctx.account.id, pass.id, JSON.stringify({ subject: `See ${ctx.baseUrl}/p/${page}` })],
  );
  return { id: pass.id, tokens };
}

async function ask(): Promise<void> {
  await run(
    `insert into link_token_moves (part, after) values ('passes', ''), ('bundles', ''), ('events', ''), ('files', '')`,
  );
}

/** Checks everything that shows or accepts a link of the pass. */
async function expectLinks({ id, tokens }: { id: string; tokens: LinkTokens }, page = tokens.page): Promise<void> {
  const pass: Pass = await rowOf(id);
  expect(openTokens(ctx.env, pass)).toEqual(tokens);
  expect(isAuthentication(ctx.env, pass, tokens.authentication)).toBe(true);
  expect(isAuthentication(ctx.env, pass, pass.pageToken)).toBe(false);
  const shown = await findPage(ctx, { token: tokens.page }, 'page');
  expect(shown?.pass.id).toBe(id);
  expect(shown?.card).toMatchObject({
    authenticationToken: tokens.authentication,
    pushText: `Look at ${ctx.baseUrl}/p/${page}`,
  });
  // Once tokens are encrypted, the values in the database open nothing.
  if (pass.secrets !== null) expect(await findPage(ctx, { token: pass.pageToken }, 'page')).toBeUndefined();
  for (const value of [`${ctx.baseUrl}/p/${page}`, [`${ctx.baseUrl}/p/none`, `${ctx.baseUrl}/p/${page}`]]) {
    const query = {
      groups: [
        [
          { field: 'downloadPage', operator: 'equals', value },
          { field: 'identifier', operator: 'equals', value: id },
        ],
      ],
    };
    expect((await searchPasses(ctx, { query, pageSize: 5 })).total).toBe(1);
  }
  const ids = sql`(select id from ${earlierEvents} where pass_id = ${id} and account_id = ${ctx.account.id})`;
  const rows = await rawStatement<DeliveredRow>(
    ctx.db,
    sql`select ${eventColumns} from ${earlierEventsNamed(ctx.account.id, ids)} order by created_at desc`,
  );
  const told = rows.map((row) => completeBody(ctx, row));
  expect(told.map((body) => JSON.parse(body)).map(({ linkToPassPage, subject }) => linkToPassPage ?? subject)).toEqual([
    `${ctx.baseUrl}/p/${page}`,
    `See ${ctx.baseUrl}/p/${page}`,
  ]);
}

describe('tokens stored by an earlier release', () => {
  test('work unchanged, before and after the cron has moved them', async () => {
    const [alone, first, second] = [await stored({}), await stored({ bundleId: 'b' }), await stored({ bundleId: 'b' })];
    const expectAll = async () => {
      await expectLinks(alone);
      for (const one of [first, second]) await expectLinks(one, bundleToken);
      expect((await findBundlePage(ctx, bundleToken))?.passes.map(({ pass }) => pass.id)).toEqual([
        first.id,
        second.id,
      ]);
    };
    await expectAll();
    await ask();
    await move();
    expect(await parts()).toEqual([]);
    await expectAll();
    expect(await findBundlePage(ctx, digestOf(bundleToken))).toBeUndefined();

    const secrets = [alone, first, second].flatMap(({ tokens }) => Object.values(tokens));
    const everything = await Promise.all(
      ['passes', 'bundle_links', 'events', 'messages'].map(
        async (table) => (await run(`select * from ${table}`)).results,
      ),
    );
    for (const secret of [...secrets, bundleToken]) expect(JSON.stringify(everything)).not.toContain(secret);
  });

  test('stay the same if the pass changes or joins the bundle meanwhile', async () => {
    const [old, joining] = [await stored({ bundleId: 'b' }), await stored({})];
    const { pass } = await patchPass(ctx, joining.id, { bundleId: 'b' }, { wait: true });
    expect(openBundleCopy(ctx.env, pass)).toBe(bundleToken);
    // Adding it to the bundle that it is already in changes nothing.
    const { version } = await rowOf(old.id);
    await patchPass(ctx, old.id, { bundleId: 'b' }, { wait: true });
    expect((await rowOf(old.id)).version).toBe(version);
    await ask();
    await move();
    await patchPass(ctx, old.id, { bundleId: 'b' }, { wait: true });
    expect((await rowOf(old.id)).version).toBe(version);
    const { pass: rotated } = await rotateLinks(ctx, old.id);
    expect(openTokens(ctx.env, rotated)).toMatchObject({ authentication: old.tokens.authentication });
    expect(openTokens(ctx.env, rotated).page).not.toBe(old.tokens.page);
  });

  test('are moved page by page, and afterwards an empty read costs one row', async () => {
    const { id } = await stored({});
    const columns = (await run(`select name from pragma_table_info('passes') where name <> 'key'`)).results.map(
      ({ name }) => String(name),
    );
    const own: Record<string, string> = {
      ...{ id: `id || n.value`, generated_id: `generated_id || n.value`, page_token: `printf('%022d', n.value)` },
    };
    await run(
      `insert into passes (${columns}) with recursive n(value) as (select 1 union all select value + 1 from n where value < 5600)
        select ${columns.map((name) => own[name] ?? name)} from passes, n where id = ?`,
      id,
    );
    await run(`insert into link_token_moves (part, after) values ('passes', '')`);
    await move();
    expect(await parts()).toMatchObject([{ part: 'passes' }]);
    const open = async () => (await run('select count(*) as rows from passes where secrets is null')).results[0]!.rows;
    expect(await open()).toBe(601);
    await move();
    expect([await open(), await parts()]).toEqual([0, []]);
    const last = await rowOf(`${id}5600`);
    expect(openTokens(ctx.env, last)).toMatchObject({ page: `${'0'.repeat(18)}5600` });
    const before = { ...ctx.meter };
    await move();
    expect(ctx.meter.roundTrips - before.roundTrips).toBe(1);
    expect(ctx.meter.rowsRead - before.rowsRead).toBeLessThanOrEqual(1);
  });

  test('are left to a rotation that comes between', async () => {
    const { id, tokens } = await stored({});
    await ask();
    let rotated: Pass | undefined;
    const { batch } = ctx.db;
    const between = Object.assign(Object.create(ctx.db), {
      async batch(statements: Parameters<typeof batch>[0]) {
        rotated ??= (await rotateLinks(ctx, id)).pass;
        return ctx.db.batch(statements);
      },
    });
    await moveLinkTokens({ ...ctx, db: between }, noFiles);
    expect(await parts()).toEqual([]);
    const now = await rowOf(id);
    expect(now.secrets).toBe(rotated!.secrets);
    expect(openTokens(ctx.env, now).authentication).toBe(tokens.authentication);
    expect(await findPage(ctx, { token: tokens.page }, 'page')).toBeUndefined();
  });
});

test('an upgrade requests it if something is stored', () => {
  for (const count of [0, 1]) {
    const { database: old, migrate } = openFirstSchema();
    for (const name of ['0003_images_of_passes', '0006_search_phrases']) migrate(name);
    const columns = `id, account_id, template_id, template_version, generated_id, barcode_value, properties, appearance, page_token,
      file_token, authentication_token, created_at, modified_at`;
    if (count) {
      old.exec(`insert into passes (${columns}) values ('p', 'a', 't', 1, 'g', '', '{}', '{}', 'x', 'y', 'z', 0, 0)`);
      old.exec(`insert into bundle_links (account_id, bundle_id, page_token, created_at) values ('a', 'b', 'x', 0)`);
      old.exec(
        `insert into events (id, account_id, type, body, created_at) values ('e', 'a', 'pass_created', '{}', 0)`,
      );
    }
    migrate('0009_link_tokens_at_rest');
    const asked = rowsOf(old, 'select part, after from link_token_moves order by part');
    expect(asked).toEqual(count ? ['bundles', 'events', 'files', 'passes'].map((part) => ({ part, after: '' })) : []);
  }
});
