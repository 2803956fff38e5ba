import { afterAll, beforeAll, expect, test } from 'vitest';
import { listItems } from '../../../src/dev/inbox/items.ts';
import type { Context } from '../../../src/domain/context.ts';
import { sendMail } from '../../../src/domain/messages/system-mail.ts';
import type { Env } from '../../../src/platform/env.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const mail = { to: 'ada@example.com', subject: 'Sign in', text: 'Open this link', html: '<p>Open this link</p>' };

function contextWith(env: Partial<Env>): Context {
  const ctx = database.context();
  return { ...ctx, env: { ...ctx.env, ...env } };
}

test('a mail from the service itself is in the dev inbox of a local one', async () => {
  const kept = new Map<string, Uint8Array>();
  const FILES = { put: async (key: string, bytes: Uint8Array) => void kept.set(key, bytes) };
  const ctx = contextWith({ ADMIN_TOKEN: 'local', FILES: FILES as never });
  await sendMail(ctx, mail);
  const { rows } = await listItems(ctx, { limit: 10 });
  expect(rows).toMatchObject([
    { kind: 'email', recipient: mail.to, subject: mail.subject, text: mail.text, details: { html: mail.html } },
  ]);
  expect(kept.size).toBe(1);
});

test.each([
  ['an address to send from', {}, /MAIL_FROM/],
  ['a binding to send with', { MAIL_FROM: 'service@example.org' }, /EMAIL/],
])('a deployment without %s reports it', async (_, env, message) => {
  await expect(sendMail(contextWith(env), mail)).rejects.toThrow(message);
});
