import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { updateAccount } from '../../../src/domain/accounts/update-account.ts';
import { SESSION_DAYS, SESSION_DAYS_MAX } from '../../../src/domain/users/begin-session.ts';
import { listMembers, removeMember, setPrivileges } from '../../../src/domain/users/change-member.ts';
import { createSignInLink, mailSignInLink } from '../../../src/domain/users/create-sign-in-link.ts';
import { inviteUser } from '../../../src/domain/users/invite-user.ts';
import { hasPrivilege } from '../../../src/domain/users/privileges.ts';
import {
  endSession,
  findSession,
  listSessions,
  signOut,
  signOutEverywhere,
} from '../../../src/domain/users/sessions.ts';
import { signIn } from '../../../src/domain/users/sign-in.ts';
import { signInTokens } from '../../../src/domain/users/table.ts';
import { sha256 } from '../../../src/platform/crypto.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

let people = 0;

/** Creates a member of an account with a new sign-in link. */
async function invited(privileges?: Parameters<typeof inviteUser>[1]['privileges']) {
  const ctx = await database.accountContext();
  people += 1;
  const member = await inviteUser(ctx, { email: `person-${people}@example.com`, privileges });
  const link = await createSignInLink(ctx, member.email);
  return { ctx, member, token: new URL(link.url).searchParams.get('token') ?? '', link };
}

/** Runs `work` as if time had passed. Only replaces Date, so that the database still works. */
async function later<T>(millis: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + millis });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

/** Returns the text of the mail with a sign-in link, requested in this browser or sent by invitation. */
async function mailedTo(email: string, browser?: string): Promise<string> {
  return (await mailOf(email, { browser })).text;
}

interface Mail {
  subject: string;
  text: string;
  html: string;
}

/** Returns the mail with a sign-in link, and mails one first. */
async function mailOf(email: string, asked: Parameters<typeof mailSignInLink>[2]): Promise<Mail> {
  const context = database.context();
  const FILES = { put: async () => null };
  const env = { ...context.env, ADMIN_TOKEN: 'local', FILES: FILES as never };
  await mailSignInLink({ ...context, env }, email, asked);
  const { results } = await database.d1
    .prepare(
      "select subject, text, details ->> 'html' as html from outbox_items where recipient = ? order by key desc limit 1",
    )
    .bind(email)
    .all<Mail>();
  return results[0]!;
}

test('the mail with a sign-in link names the browser if the link works in no other', async () => {
  const { member } = await invited();
  expect(await mailedTo(member.email, 'browser')).toContain('Open it in the browser in which you requested it.');
  expect(await mailedTo(member.email)).not.toContain('browser');
});

test('the mail with a sign-in link names the service and the user’s accounts, in both of its forms', async () => {
  const [one, two] = [await database.accountContext(), await database.accountContext()];
  await updateAccount(one, { name: 'Café <Nord>' });
  const email = `${crypto.randomUUID()}@example.com`;
  await inviteUser(one, { email });
  const first = await mailOf(email, { browser: 'browser' });
  expect(first.subject).toBe('Your sign-in link for “Café <Nord>”');
  expect(first.text).toContain('Account: Café <Nord>\n');
  expect(first.text).toMatch(/Pass wallet service · passes.example\n$/);
  expect(first.html).toContain('Account: <b>Café &lt;Nord&gt;</b>');
  expect(first.html).toContain('Pass wallet service · passes.example');
  await inviteUser(two, { email });
  const second = await mailOf(email, { browser: 'browser' });
  expect([second.subject, second.text.includes('Accounts: Café <Nord>, Test account\n')]).toEqual([
    'Your sign-in link',
    true,
  ]);
});

test('the mail of an invitation says which account the person is a member of', async () => {
  const { member } = await invited();
  const { subject, text, html } = await mailOf(member.email, { invitedTo: 'Café <Nord>' });
  expect(subject).toBe('You can now sign in to “Café <Nord>”');
  expect(text).toContain('You are now a member of the account “Café <Nord>”.');
  expect(html).toContain('You are now a member of the account “Café &lt;Nord&gt;”.');
  expect(text).toContain('https://passes.example/console/sign-in.');
});

test('the name of an account is a link in no mail with a sign-in link, even if it is a web address', async () => {
  const { ctx, member } = await invited();
  const name = 'https://evil.example/login';
  await updateAccount(ctx, { name });
  for (const asked of [{ invitedTo: name }, { browser: 'browser' }]) {
    const { subject, text, html } = await mailOf(member.email, asked);
    for (const form of [subject, text, html]) {
      expect(form).not.toMatch(/https:\/\/evil|evil\.example/);
      expect(form.replaceAll('\u200b', '')).toContain(name);
    }
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url!);
    expect(links.filter((url) => !url.startsWith('https://passes.example/console/sign-in'))).toEqual([]);
    expect(links.length).toBeGreaterThan(0);
  }
});

test('a link that was used an hour ago and a valid one are distinguished', async () => {
  const { token, link } = await invited();
  await signIn(database.context(), token);
  const [row] = await database.look
    .select({ expiresAt: signInTokens.expiresAt })
    .from(signInTokens)
    .where(eq(signInTokens.digest, await sha256(token)));
  expect(link.url).toContain(token);
  expect(row!.expiresAt).toBeLessThanOrEqual(Date.now() - 60 * MINUTE_MS);
});

describe('inviteUser', () => {
  test('creates a member who reads, with one spelling of the address', async () => {
    const ctx = await database.accountContext();
    const member = await inviteUser(ctx, { email: ' Anna@Example.COM ' });
    expect(member).toMatchObject({ email: 'anna@example.com', privileges: ['read'] });
    expect(await membershipsOf(member.email)).toEqual([{ account: ctx.account, privileges: ['read'] }]);
  });

  test('replaces a member’s privileges and creates no second person', async () => {
    const ctx = await database.accountContext();
    await inviteUser(ctx, { email: 'boss@example.com', privileges: ['owner'] });
    const first = await inviteUser(ctx, { email: 'bea@example.com', privileges: ['owner'] });
    const second = await inviteUser(ctx, { email: 'BEA@example.com', privileges: ['api_keys.manage', 'scan', 'scan'] });
    expect(second).toEqual({ ...first, privileges: ['api_keys.manage', 'scan'] });
    const [membership] = await membershipsOf('bea@example.com');
    expect(membership?.privileges).toEqual(['api_keys.manage', 'scan']);
  });

  test('adds a known person to a second account', async () => {
    const [one, two] = [await database.accountContext(), await database.accountContext()];
    await inviteUser(one, { email: 'cleo@example.com' });
    await inviteUser(two, { email: 'cleo@example.com', privileges: ['owner'] });
    const memberships = await membershipsOf('cleo@example.com');
    expect(memberships.map(({ account, privileges }) => [account.id, privileges])).toEqual([
      [one.account.id, ['read']],
      [two.account.id, ['owner']],
    ]);
  });

  test.each([
    [{ email: 'nobody' }, 'email: must be an e-mail address'],
    [{ email: 'a@example.com', privileges: ['fly' as never] }, 'privileges.0: must be one of owner, '],
  ])('rejects %o', async (input, message) => {
    const ctx = await database.accountContext();
    await expect(inviteUser(ctx, input)).rejects.toThrow(message);
  });
});

describe('hasPrivilege', () => {
  test('lets owners do everything and members only what they were given', () => {
    expect(hasPrivilege(['owner'], 'api_keys.manage')).toBe(true);
    expect(hasPrivilege(['api_keys.manage'], 'api_keys.manage')).toBe(true);
    expect(hasPrivilege(['scan'], 'api_keys.manage')).toBe(false);
    expect(hasPrivilege(['scan'], 'read')).toBe(true);
  });
});

describe('a sign-in link', () => {
  test('leads to the console and signs its user in', async () => {
    const { ctx, member, token, link } = await invited();
    expect(link.url).toBe(`https://passes.example/console/sign-in?token=${token}`);
    const { session } = await signIn(ctx, token);
    expect(await findSession(ctx, session)).toMatchObject({
      user: { id: member.userId, email: member.email },
      session,
    });
  });

  test('is stored as a digest, as is the session', async () => {
    const { ctx, token } = await invited();
    const stored = async (table: string) =>
      JSON.stringify((await database.d1.prepare(`select * from ${table}`).all()).results);
    expect(await stored('sign_in_tokens')).not.toContain(token);
    const { session } = await signIn(ctx, token);
    expect(await stored('sessions')).not.toContain(session);
  });

  test('works once: of ten simultaneous uses exactly one wins', async () => {
    const { token } = await invited();
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => signIn(database.context(), token)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refusals.every(({ reason }) => reason.kind === 'unauthorized')).toBe(true);
  });

  test('works for 15 minutes', async () => {
    const [early, late] = [await invited(), await invited()];
    await later(14 * MINUTE_MS, () => signIn(early.ctx, early.token));
    await expect(later(15 * MINUTE_MS, () => signIn(late.ctx, late.token))).rejects.toMatchObject({
      kind: 'unauthorized',
    });
  });

  test('replaces the browser’s session, in the batch that uses the link', async () => {
    const { ctx, member, token } = await invited();
    const { session: before } = await signIn(ctx, token);
    await expect(signIn(ctx, token, { before })).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(await findSession(ctx, before)).toBeDefined();
    const link = await createSignInLink(ctx, member.email);
    const trips = ctx.meter.roundTrips;
    const { session } = await signIn(ctx, new URL(link.url).searchParams.get('token')!, { before });
    expect(ctx.meter.roundTrips - trips).toBe(1);
    expect([await findSession(ctx, before), await findSession(ctx, session)]).toEqual([undefined, expect.anything()]);
  });

  test('that could not be mailed does not count towards the limit', async () => {
    const { ctx, member } = await invited();
    const { results } = await database.d1
      .prepare('select count(*) as links from sign_in_tokens where user_id = ?')
      .bind(member.userId)
      .all();
    for (let i = 0; i < 6; i++) await expect(mailSignInLink(ctx, member.email)).rejects.toThrow('MAIL_FROM');
    const after = await database.d1
      .prepare('select count(*) as links from sign_in_tokens where user_id = ?')
      .bind(member.userId)
      .all();
    expect(after.results).toEqual(results);
  });

  test('is not created for an unknown address', async () => {
    await expect(createSignInLink(database.context(), 'ghost@example.com')).rejects.toMatchObject({
      kind: 'not_found',
    });
  });
});

/** Returns the memberships that a person signs in to. */
async function membershipsOf(email: string) {
  const ctx = database.context();
  const link = await createSignInLink(ctx, email);
  const { session } = await signIn(ctx, new URL(link.url).searchParams.get('token')!);
  return (await findSession(ctx, session))!.memberships;
}

describe('a session', () => {
  test('ends 30 days after its last use', async () => {
    const { ctx, token } = await invited();
    let { session } = await signIn(ctx, token);
    for (const days of [1, 2, 3].map((times) => times * (SESSION_DAYS - 1))) {
      const live = await later(days * DAY_MS, () => findSession(ctx, session));
      expect(live).toBeDefined();
      session = live!.session!;
    }
    expect(await later((4 * SESSION_DAYS - 3) * DAY_MS, () => findSession(ctx, session))).toBeUndefined();
  });

  test('ends 90 days after it began, however much it is used', async () => {
    const { ctx, token } = await invited();
    let { session } = await signIn(ctx, token);
    for (let day = 20; day < SESSION_DAYS_MAX; day += 20) {
      session = (await later(day * DAY_MS, () => findSession(ctx, session)))!.session!;
    }
    expect(await later(SESSION_DAYS_MAX * DAY_MS - MINUTE_MS, () => findSession(ctx, session))).toBeDefined();
    expect(await later(SESSION_DAYS_MAX * DAY_MS + MINUTE_MS, () => findSession(ctx, session))).toBeUndefined();
  });

  test('of a release without an absolute end ends as well', async () => {
    const { ctx, token, member } = await invited();
    const { session } = await signIn(ctx, token);
    const began = Date.now() - (SESSION_DAYS_MAX + 1) * DAY_MS;
    await database.d1.prepare('update sessions set created_at = ?').bind(began).run();
    expect(await findSession(ctx, session)).toBeUndefined();
    expect(await listSessions(ctx, member.userId)).toEqual([]);
  });

  test('shows its last use, written once an hour', async () => {
    const { ctx, token, member } = await invited();
    const { session } = await signIn(ctx, token, { userAgent: 'Mozilla', address: '192.0.2.1' });
    const seen = async () =>
      (await listSessions(ctx, member.userId)).map(({ address, userAgent }) => [address, userAgent]);
    const elsewhere = { userAgent: 'x'.repeat(1_000), address: '192.0.2.2' };
    const writes = async (millis: number) => {
      const trips = ctx.meter.roundTrips;
      await later(millis, () => findSession(ctx, session, elsewhere));
      return ctx.meter.roundTrips - trips - 1;
    };
    expect([await writes(59 * MINUTE_MS), await seen()]).toEqual([0, [['192.0.2.1', 'Mozilla']]]);
    expect([await writes(61 * MINUTE_MS), await seen()]).toEqual([1, [['192.0.2.2', 'x'.repeat(300)]]]);
    expect(await writes(62 * MINUTE_MS)).toBe(0);
  });

  test('is ended by its name, which survives new secrets, and by nobody else', async () => {
    const [mine, other] = [await invited(), await invited()];
    const { session } = await signIn(mine.ctx, mine.token);
    const live = await findSession(mine.ctx, session);
    const next = (await later(DAY_MS, () => findSession(mine.ctx, session)))!.session!;
    await endSession(other.ctx, other.member.userId, live!.id);
    expect((await later(DAY_MS, () => findSession(mine.ctx, next)))?.id).toBe(live!.id);
    await endSession(mine.ctx, mine.member.userId, live!.id);
    expect(await later(DAY_MS, () => findSession(mine.ctx, next))).toBeUndefined();
  });

  test('of a release without names gets one when it is used, and can be ended before', async () => {
    const { ctx, token, member } = await invited();
    const { session } = await signIn(ctx, token);
    const forget = () =>
      database.d1
        .prepare('update sessions set id = null, last_used_at = null where user_id = ?')
        .bind(member.userId)
        .run();
    await forget();
    expect(await findSession(ctx, session)).toBeDefined();
    const [named] = await listSessions(ctx, member.userId);
    expect((await findSession(ctx, session))?.id).toBe(named!.id);
    await forget();
    const [unnamed] = await listSessions(ctx, member.userId);
    await endSession(ctx, member.userId, unnamed!.id);
    expect(await findSession(ctx, session)).toBeUndefined();
  });

  test('gets a new secret once a day, and the old one is invalid a minute after the new one was used', async () => {
    const { ctx, token } = await invited();
    const { session } = await signIn(ctx, token);
    expect((await later(DAY_MS - MINUTE_MS, () => findSession(ctx, session)))?.session).toBe(session);
    const rivals = await later(DAY_MS, () =>
      Promise.all(Array.from({ length: 20 }, () => findSession(database.context(), session))),
    );
    // No other reply may set the old session: when a browser gets several, any can be the last.
    const brought = rivals.map((live) => live!.session).filter((secret) => secret !== undefined);
    expect([rivals.filter(Boolean).length, brought.length, brought.includes(session)]).toEqual([20, 1, false]);
    const [next] = brought;
    expect((await later(DAY_MS, () => findSession(ctx, next!)))?.session).toBe(next);
    expect(await later(DAY_MS, () => findSession(ctx, session))).toMatchObject({ session: undefined });
    expect(await later(DAY_MS + MINUTE_MS, () => findSession(ctx, session))).toBeUndefined();
    expect((await later(DAY_MS + MINUTE_MS, () => findSession(ctx, next!)))?.session).toBe(next);
  });

  test('continues if the reply with the new secret is lost', async () => {
    const { ctx, token } = await invited();
    const { session } = await signIn(ctx, token);
    const lost = (await later(DAY_MS, () => findSession(ctx, session)))!.session!;
    expect(await later(DAY_MS + MINUTE_MS / 2, () => findSession(ctx, session))).toMatchObject({ session: undefined });
    const again = (await later(DAY_MS + 2 * MINUTE_MS, () => findSession(ctx, session)))!.session!;
    expect([session, lost]).not.toContain(again);
    expect(await later(DAY_MS + 2 * MINUTE_MS, () => findSession(ctx, lost))).toBeUndefined();
    await later(DAY_MS + 3 * MINUTE_MS, () => findSession(ctx, again));
    expect(await later(DAY_MS + 5 * MINUTE_MS, () => findSession(ctx, session))).toBeUndefined();
    expect(await later(2 * DAY_MS, () => findSession(ctx, again))).toBeDefined();
  });

  test('is found in one round trip, with its accounts', async () => {
    const { token } = await invited();
    const ctx = database.context();
    const { session } = await signIn(ctx, token);
    const before = ctx.meter.roundTrips;
    expect((await findSession(ctx, session))?.memberships).toHaveLength(1);
    expect(ctx.meter.roundTrips - before).toBe(1);
  });

  test('ends when its user signs out', async () => {
    const { ctx, token } = await invited();
    const { session } = await signIn(ctx, token);
    await signOut(ctx, session);
    expect(await findSession(ctx, session)).toBeUndefined();
  });

  test('ends with all others of its user, and with pending links, when the user signs out everywhere', async () => {
    const [one, other] = [await invited(), await invited()];
    const sessions = [(await signIn(one.ctx, one.token)).session];
    for (let i = 0; i < 2; i++) {
      const link = await createSignInLink(one.ctx, one.member.email);
      sessions.push((await signIn(one.ctx, new URL(link.url).searchParams.get('token')!)).session);
    }
    const open = await createSignInLink(one.ctx, one.member.email);
    const foreign = (await signIn(other.ctx, other.token)).session;
    await signOutEverywhere(one.ctx, one.member.userId);
    for (const session of sessions) expect(await findSession(one.ctx, session)).toBeUndefined();
    await expect(signIn(one.ctx, new URL(open.url).searchParams.get('token')!)).rejects.toMatchObject({
      kind: 'unauthorized',
    });
    expect(await findSession(other.ctx, foreign)).toBeDefined();
  });
});

describe('the last owner', () => {
  const owner = ['owner'] as const;

  test('stays: of two who leave at once, only one does', async () => {
    const ctx = await database.accountContext();
    const mail = (name: string) => `${name}-${ctx.account.id}@example.com`;
    const one = await inviteUser(ctx, { email: mail('one'), privileges: [...owner] });
    const two = await inviteUser(ctx, { email: mail('two'), privileges: [...owner] });
    const outcomes = await Promise.allSettled([
      removeMember(ctx, one.userId),
      setPrivileges(ctx, two.userId, { privileges: ['read'] }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [last, ...others] = (await listMembers(ctx)).filter(({ privileges }) => privileges.includes('owner'));
    expect(others).toEqual([]);
    await expect(inviteUser(ctx, { email: last!.email, privileges: ['scan'] })).rejects.toThrow('needs an owner');
  });

  test('of another account is not found', async () => {
    const [mine, other] = [await invited(['owner']), await invited(['owner'])];
    await expect(removeMember(mine.ctx, other.member.userId)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(setPrivileges(mine.ctx, other.member.userId, { privileges: ['read'] })).rejects.toMatchObject({
      kind: 'not_found',
    });
  });
});
