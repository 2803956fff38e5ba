import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { AccountContext, Context } from '../../../src/domain/context.ts';
import { inviteUser } from '../../../src/domain/users/invite-user.ts';
import { notifyOwners } from '../../../src/domain/webhooks/notify-owners.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const MINUTE_MS = 60_000;

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
beforeEach(async () => {
  // No mail can be sent to such an address.
  await database.d1
    .prepare(
      `create trigger if not exists unreachable before insert on outbox_items when new.recipient like 'unreachable%'
        begin select raise(abort, 'no such mailbox'); end`,
    )
    .run();
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterAll(() => database.close());

function local(): Context {
  const ctx = database.context();
  return { ...ctx, env: { ...ctx.env, ADMIN_TOKEN: 'local', FILES: { put: async () => null } as never } };
}

/** Creates an account with these owners, and a subscription that was just paused. */
async function paused(...owners: string[]): Promise<AccountContext> {
  const ctx = await database.accountContext();
  for (const name of owners) {
    await inviteUser(ctx, { email: `${name}@${ctx.account.id}.example.com`, privileges: ['owner'] });
  }
  await subscribe(ctx, { target_url: 'https://receiver.example.com', event: 'pass_created' });
  await database.d1
    .prepare("update webhook_subscriptions set status = 'paused', tell_owner_at = 1 where account_id = ?")
    .bind(ctx.account.id)
    .run();
  return ctx;
}

async function toldIn({ account }: AccountContext): Promise<string[]> {
  const { results } = await database.d1
    .prepare('select recipient from outbox_items where recipient like ? order by key')
    .bind(`%@${account.id}.example.com`)
    .all<{ recipient: string }>();
  return results.map(({ recipient }) => recipient.split('@')[0]!);
}

test('an owner who cannot be reached delays no other account’s notification, and is retried', async () => {
  const [first, second] = [await paused('unreachable'), await paused('anna')];
  const now = Date.now();
  await notifyOwners(local(), now);
  expect([await toldIn(first), await toldIn(second)]).toEqual([[], ['anna']]);
  await database.d1.prepare('drop trigger unreachable').run();
  await notifyOwners(local(), now + 9 * MINUTE_MS);
  expect(await toldIn(first)).toEqual([]);
  await notifyOwners(local(), now + 11 * MINUTE_MS);
  expect([await toldIn(first), await toldIn(second)]).toEqual([['unreachable'], ['anna']]);
});

test('an owner is notified once, even if another cannot be reached', async () => {
  const ctx = await paused('anna', 'unreachable', 'bea');
  const now = Date.now();
  for (const minutes of [0, 11, 22]) await notifyOwners(local(), now + minutes * MINUTE_MS);
  expect(await toldIn(ctx)).toEqual(['anna', 'bea']);
});

test('the endpoint and the name of the account are no links in the mail, but the addresses to call are', async () => {
  const ctx = await paused('anna');
  await database.d1.prepare("update accounts set name = 'www.evil.example' where id = ?").bind(ctx.account.id).run();
  await notifyOwners(local());
  const mail = await database.d1
    .prepare("select text, details ->> 'html' as html from outbox_items where recipient = ?")
    .bind(`anna@${ctx.account.id}.example.com`)
    .first<{ text: string; html: string }>();
  const { text, html } = mail!;
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url!.replace(/hook\/[^/]+/, 'hook/ID'));
  expect(links).toEqual(['resume', 'recover'].map((verb) => `https://passes.example/api/hook/ID/${verb}`));
  for (const form of [text, html]) {
    expect(form).not.toMatch(/receiver\.example|www\.evil/);
    expect(form.replaceAll('\u200b', '')).toContain('No delivery to https://receiver.example.com has succeeded');
    expect(form.replaceAll('\u200b', '')).toContain('www.evil.example');
  }
});

test('owners get another mail if their webhook is paused again while the first is being sent', async () => {
  const ctx = await paused('twice');
  await database.d1
    .prepare(
      `create trigger paused_again after insert on outbox_items when new.recipient like 'twice%'
        begin update webhook_subscriptions set tell_owner_at = 2 where tell_owner_at > 2; end`,
    )
    .run();
  await notifyOwners(local());
  await database.d1.prepare('drop trigger paused_again').run();
  await notifyOwners(local());
  await notifyOwners(local());
  expect(await toldIn(ctx)).toEqual(['twice', 'twice']);
});
