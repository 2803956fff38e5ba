import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSignInLink } from '../../../src/domain/users/create-sign-in-link.ts';
import { inviteUser } from '../../../src/domain/users/invite-user.ts';
import { hasPrivilege } from '../../../src/domain/users/privileges.ts';
import { findSignedInUser, listMembershipsOfUser, signOut } from '../../../src/domain/users/sessions.ts';
import { SESSION_DAYS, signIn } from '../../../src/domain/users/sign-in.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

let people = 0;

/** Somebody who is a member of an account and holds a fresh sign-in link. */
async function invited(privileges?: Parameters<typeof inviteUser>[1]['privileges']) {
  const ctx = await database.accountContext();
  people += 1;
  const member = await inviteUser(ctx, { email: `person-${people}@example.com`, privileges });
  const link = await createSignInLink(ctx, member.email);
  return { ctx, member, token: new URL(link.url).searchParams.get('token') ?? '', link };
}

/** Runs `work` as if the clock had moved on. Only Date is replaced, so that the database still works. */
async function later<T>(millis: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + millis });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

describe('inviteUser', () => {
  it('makes a member who reads, under one spelling of the address', async () => {
    const ctx = await database.accountContext();
    const member = await inviteUser(ctx, { email: ' Anna@Example.COM ' });
    expect(member).toMatchObject({ email: 'anna@example.com', privileges: ['read'] });
    const memberships = await listMembershipsOfUser(ctx, member.userId);
    expect(memberships).toEqual([{ account: ctx.account, privileges: ['read'] }]);
  });

  it('sets the privileges of a member anew and makes no second person', async () => {
    const ctx = await database.accountContext();
    const first = await inviteUser(ctx, { email: 'bea@example.com', privileges: ['owner'] });
    const second = await inviteUser(ctx, { email: 'BEA@example.com', privileges: ['api_keys.manage', 'scan', 'scan'] });
    expect(second).toEqual({ ...first, privileges: ['api_keys.manage', 'scan'] });
    const [membership] = await listMembershipsOfUser(ctx, first.userId);
    expect(membership?.privileges).toEqual(['api_keys.manage', 'scan']);
  });

  it('adds a known person to a second account', async () => {
    const [one, two] = [await database.accountContext(), await database.accountContext()];
    const { userId } = await inviteUser(one, { email: 'cleo@example.com' });
    await inviteUser(two, { email: 'cleo@example.com', privileges: ['owner'] });
    const memberships = await listMembershipsOfUser(one, userId);
    expect(memberships.map(({ account, privileges }) => [account.id, privileges])).toEqual([
      [one.account.id, ['read']],
      [two.account.id, ['owner']],
    ]);
  });

  it.each([
    [{ email: 'nobody' }, 'email: must be an e-mail address'],
    [{ email: 'a@example.com', privileges: ['fly' as never] }, 'privileges.0: must be one of owner, '],
  ])('refuses %o', async (input, message) => {
    const ctx = await database.accountContext();
    await expect(inviteUser(ctx, input)).rejects.toThrow(message);
  });
});

describe('hasPrivilege', () => {
  it('lets owners do everything and members only what they were given', () => {
    expect(hasPrivilege(['owner'], 'api_keys.manage')).toBe(true);
    expect(hasPrivilege(['api_keys.manage'], 'api_keys.manage')).toBe(true);
    expect(hasPrivilege(['scan'], 'api_keys.manage')).toBe(false);
    expect(hasPrivilege(['scan'], 'read')).toBe(true);
  });
});

describe('a sign-in link', () => {
  it('leads to the console and signs its user in', async () => {
    const { ctx, member, token, link } = await invited();
    expect(link.url).toBe(`https://passes.example/console/sign-in?token=${token}`);
    const { session } = await signIn(ctx, token);
    expect(await findSignedInUser(ctx, session)).toEqual({ id: member.userId, email: member.email });
  });

  it('is stored as a digest, as is the session', async () => {
    const { ctx, token } = await invited();
    const stored = async (table: string) =>
      JSON.stringify((await database.d1.prepare(`select * from ${table}`).all()).results);
    expect(await stored('sign_in_tokens')).not.toContain(token);
    const { session } = await signIn(ctx, token);
    expect(await stored('sessions')).not.toContain(session);
  });

  it('works once: of ten simultaneous uses exactly one wins', async () => {
    const { token } = await invited();
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => signIn(database.context(), token)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refusals.every(({ reason }) => reason.kind === 'unauthorized')).toBe(true);
  });

  it('works for 15 minutes', async () => {
    const [early, late] = [await invited(), await invited()];
    await later(14 * MINUTE_MS, () => signIn(early.ctx, early.token));
    await expect(later(15 * MINUTE_MS, () => signIn(late.ctx, late.token))).rejects.toMatchObject({
      kind: 'unauthorized',
    });
  });

  it('is not made for an unknown address', async () => {
    await expect(createSignInLink(database.context(), 'ghost@example.com')).rejects.toMatchObject({
      kind: 'not_found',
    });
  });
});

describe('a session', () => {
  it('ends 30 days after its last use', async () => {
    const { ctx, token } = await invited();
    const { session } = await signIn(ctx, token);
    expect(await later((SESSION_DAYS - 1) * DAY_MS, () => findSignedInUser(ctx, session))).toBeDefined();
    expect(await later((2 * SESSION_DAYS - 2) * DAY_MS, () => findSignedInUser(ctx, session))).toBeDefined();
    expect(await later((3 * SESSION_DAYS - 1) * DAY_MS, () => findSignedInUser(ctx, session))).toBeUndefined();
  });

  it('ends when its user signs out', async () => {
    const { ctx, token } = await invited();
    const { session } = await signIn(ctx, token);
    await signOut(ctx, session);
    expect(await findSignedInUser(ctx, session)).toBeUndefined();
  });
});
