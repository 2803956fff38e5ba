import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { deletePasskeysOf } from '../../../src/domain/passkeys/list-passkeys.ts';
import { passkeys } from '../../../src/domain/passkeys/table.ts';
import { removeMember } from '../../../src/domain/users/change-member.ts';
import { inviteUser } from '../../../src/domain/users/invite-user.ts';
import { purgeFormerMembers } from '../../../src/domain/users/purge-former-members.ts';
import { sessions, signInTokens, users } from '../../../src/domain/users/table.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const MINUTES = 7 * 24 * 60;
/** Minutes until a week begins in the year 2046. */
const BEGIN = 4_000 * MINUTES;

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

/** Runs the minutes of a week that check some row. */
async function week(): Promise<void> {
  const { last } = (await database.d1.prepare('select max(rowid) as last from users').first<{ last: number }>())!;
  for (let row = 1; row <= last; row++) {
    const minute = Math.ceil((row * MINUTES) / last) - 1;
    await purgeFormerMembers(ctx, (userIds) => deletePasskeysOf(ctx, userIds), (BEGIN + minute) * 60_000);
  }
}
const known = async () => (await database.look.select().from(users)).map(({ email }) => email).sort();

test('people without an account are deleted with their passkeys once their sessions have ended', async () => {
  const other = await database.accountContext();
  await inviteUser(ctx, { email: 'owner@example.com', privileges: ['owner'] });
  const invited: Record<string, string> = {};
  for (const name of ['member', 'elsewhere', 'operator', 'signed-in', 'former']) {
    invited[name] = (await inviteUser(ctx, { email: `${name}@example.com` })).userId;
  }
  await inviteUser(other, { email: 'elsewhere@example.com' });
  for (const name of ['elsewhere', 'operator', 'signed-in', 'former']) await removeMember(ctx, invited[name]!);
  await database.look.update(users).set({ operatorSince: 1 }).where(eq(users.email, 'operator@example.com'));
  const session = { digest: 'digest', createdAt: 1, expiresAt: 2, rotatedAt: 1 };
  await database.look.insert(sessions).values({ ...session, userId: invited['signed-in']! });
  const passkey = { id: 'key', name: '', publicKey: '', counter: 0, transports: [], createdAt: 1 };
  await database.look.insert(passkeys).values({ ...passkey, userId: invited.former! });
  await week();
  const others = ['elsewhere', 'member', 'operator', 'owner'].map((name) => `${name}@example.com`);
  expect(await known()).toEqual([...others, 'signed-in@example.com']);
  expect(await database.look.$count(passkeys)).toBe(0);
  await database.look.delete(sessions);
  await week();
  expect(await known()).toEqual(others);
});

test('somebody with a sign-in link stays as long as it exists', async () => {
  const { userId } = await inviteUser(ctx, { email: 'returning@example.com' });
  await removeMember(ctx, userId);
  await database.look.delete(signInTokens);
  await database.look.insert(signInTokens).values({ digest: 'link', userId, expiresAt: 1 });
  await week();
  expect(await known()).toContain('returning@example.com');
  await database.look.delete(signInTokens);
  await week();
  expect(await known()).not.toContain('returning@example.com');
});
