import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listActions } from '../../../src/domain/audit/list-actions.ts';
import { purgeChallenges, relyingParty } from '../../../src/domain/passkeys/challenges.ts';
import { createPasskey, creationOptions, PASSKEYS_MAX } from '../../../src/domain/passkeys/create-passkey.ts';
import { listPasskeys, removePasskey } from '../../../src/domain/passkeys/list-passkeys.ts';
import { signInOptions, signInWithPasskey } from '../../../src/domain/passkeys/sign-in-with-passkey.ts';
import { createSignInLink } from '../../../src/domain/users/create-sign-in-link.ts';
import { inviteUser } from '../../../src/domain/users/invite-user.ts';
import { findSession } from '../../../src/domain/users/sessions.ts';
import { signIn } from '../../../src/domain/users/sign-in.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { Authenticator, type Deviation } from '../../support/authenticator.ts';
import { failingOnce } from '../../support/failing-once.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const HOST = 'passes.example';
const MINUTE_MS = 60_000;
const BROWSER = 'a browser';
const REFUSED = { kind: 'unauthorized' };

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

let people = 0;

/** Somebody signed in with a link. */
async function person() {
  const ctx = await database.accountContext();
  people += 1;
  const { email, userId } = await inviteUser(ctx, { email: `passkey-${people}@example.com` });
  const signIn = () => sessionOf(email);
  const session = await signIn();
  return { ctx, user: { id: userId, email }, session, signIn, sessionId: (await findSession(ctx, session))!.id };
}

async function sessionOf(email: string): Promise<string> {
  const ctx = database.context();
  const { url } = await createSignInLink(ctx, email);
  return (await signIn(ctx, new URL(url).searchParams.get('token')!)).session;
}

type Person = Awaited<ReturnType<typeof person>>;

async function create(
  { ctx, user, sessionId }: Person,
  deviation: Deviation = {},
  authenticator = new Authenticator(HOST),
) {
  const options = await creationOptions(ctx, user, BROWSER);
  const response = authenticator.create(options, deviation);
  await createPasskey(ctx, { name: 'Laptop', response }, { user, sessionId, browser: BROWSER });
  return authenticator;
}

/** Returns a person's actions from their account's audit log, including the method of sign-ins. */
async function actionsOf({ ctx, user }: Person): Promise<string[]> {
  const entries = await listActions(ctx, { actorId: user.id }, { limit: 100 });
  return entries.reverse().map(({ action, changes }) => {
    const method = changes.find(({ field }) => field === 'method')?.new;
    return method ? `${action} ${method}` : action;
  });
}

const answer = async (authenticator: Authenticator, deviation: Deviation = {}) =>
  authenticator.get(await signInOptions(database.context(), BROWSER), deviation);

const enter = (sent: object, browser = BROWSER, onlyUserId?: string) =>
  signInWithPasskey(database.context(), sent, { browser }, onlyUserId);

async function later<T>(millis: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + millis });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

describe('a passkey', () => {
  test('signs its user in, and its last use is recorded', async () => {
    const me = await person();
    const authenticator = await create(me);
    expect(await listPasskeys(me.ctx, me.user.id)).toMatchObject([{ name: 'Laptop', lastUsedAt: null }]);
    const { session } = await enter(await answer(authenticator));
    expect(await findSession(me.ctx, session)).toMatchObject({ user: me.user, hasPasskey: true });
    expect((await actionsOf(me)).slice(-3)).toEqual([
      'session.sign_in link',
      'passkey.create',
      'session.sign_in passkey',
    ]);
    expect(await listPasskeys(me.ctx, me.user.id)).toMatchObject([{ lastUsedAt: expect.any(Number) }]);
  });

  test('is requested as discoverable, with user verification, and once per authenticator', async () => {
    const me = await person();
    const { id } = await create(me);
    expect(await creationOptions(me.ctx, me.user, BROWSER)).toMatchObject({
      rp: { id: HOST },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id }],
      attestation: 'none',
    });
    expect(await signInOptions(me.ctx, BROWSER)).toMatchObject({ rpId: HOST, userVerification: 'required' });
  });

  test('makes its session one that was signed in with it', async () => {
    const me = await person();
    expect(await findSession(me.ctx, me.session)).toMatchObject({ hasPasskey: false });
    await create(me);
    expect(await findSession(me.ctx, me.session)).toMatchObject({ hasPasskey: true });
  });

  test.each<[string, Deviation]>([
    ['by another site', { origin: 'https://passes.example.evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['without verification of the user', { isVerified: false }],
  ])('that is created %s is rejected', async (_, deviation) => {
    const me = await person();
    await expect(create(me, deviation)).rejects.toMatchObject(REFUSED);
    expect(await listPasskeys(me.ctx, me.user.id)).toEqual([]);
    expect(await findSession(me.ctx, me.session)).toMatchObject({ hasPasskey: false });
  });

  test.each<[string, Deviation]>([
    ['by another site', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['without verification of the user', { isVerified: false }],
    ['with the handle of another user', { userHandle: Buffer.from('somebody else').toString('base64url') }],
  ])('that is used %s is rejected', async (_, deviation) => {
    const me = await person();
    const authenticator = await create(me);
    await expect(enter(await answer(authenticator, deviation))).rejects.toMatchObject(REFUSED);
    expect((await actionsOf(me)).at(-1)).toBe('session.sign_in_failed passkey');
  });

  test('with a foreign signature is rejected', async () => {
    const [mine, other] = [await create(await person()), await create(await person())];
    const options = await signInOptions(database.context(), BROWSER);
    const [forged, theirs] = [mine.get(options), other.get(options)];
    forged.response.signature = theirs.response.signature;
    await expect(enter(forged)).rejects.toMatchObject(REFUSED);
  });

  test('that is unknown is rejected', async () => {
    await expect(enter(await answer(new Authenticator(HOST), { userHandle: 'eA' }))).rejects.toMatchObject(REFUSED);
  });

  test('of another user does not confirm one’s identity', async () => {
    const [me, other] = [await person(), await person()];
    const authenticator = await create(other);
    await expect(enter(await answer(authenticator), BROWSER, me.user.id)).rejects.toMatchObject(REFUSED);
  });

  test('that already belongs to another user is not taken over', async () => {
    const [me, other] = [await person(), await person()];
    const authenticator = await create(other);
    await expect(create(me, {}, authenticator)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await findSession(me.ctx, me.session)).toMatchObject({ hasPasskey: false });
    expect(await listPasskeys(me.ctx, me.user.id)).toEqual([]);
  });

  test('counts its uses: one that goes back, or does not move, is a copy', async () => {
    const authenticator = await create(await person(), { counter: 4 });
    await enter(await answer(authenticator, { counter: 5 }));
    for (const counter of [5, 4, 0]) {
      await expect(enter(await answer(authenticator, { counter }))).rejects.toMatchObject(REFUSED);
    }
    await enter(await answer(authenticator, { counter: 6 }));
  });

  test('is limited to twenty per user', async () => {
    const me = await person();
    for (let i = 0; i < PASSKEYS_MAX; i++) await create(me);
    await expect(create(me)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await listPasskeys(me.ctx, me.user.id)).toHaveLength(PASSKEYS_MAX);
  });

  test('that is removed signs nobody in, and ends the sessions that it started except the current one', async () => {
    const me = await person();
    const authenticator = await create(me);
    const { session: begun } = await enter(await answer(authenticator));
    const byLink = await me.signIn();
    const stranger = await person();
    await removePasskey(stranger.ctx, stranger.user.id, authenticator.id, stranger.sessionId);
    expect(await findSession(me.ctx, begun)).toBeDefined();
    await removePasskey(me.ctx, me.user.id, authenticator.id, me.sessionId);
    expect((await actionsOf(me)).filter((action) => action === 'passkey.remove')).toHaveLength(1);
    const live = await Promise.all([begun, byLink, me.session].map((session) => findSession(me.ctx, session)));
    expect(live.map((one) => one?.hasPasskey)).toEqual([undefined, false, false]);
    await expect(enter(await answer(authenticator))).rejects.toMatchObject(REFUSED);
  });

  test('is not reported as removed if the database fails', async () => {
    const me = await person();
    const { id } = await create(me);
    const broken = { ...me.ctx, ...openDatabase(failingOnce(database.d1, 'before')) };
    await expect(removePasskey(broken, me.user.id, id, me.sessionId)).rejects.toThrow();
    expect(await listPasskeys(me.ctx, me.user.id)).toHaveLength(1);
  });
});

describe('a challenge', () => {
  test('works once, whatever the outcome', async () => {
    const authenticator = await create(await person());
    const good = await answer(authenticator);
    await enter(good);
    await expect(enter(good)).rejects.toMatchObject(REFUSED);
    const options = await signInOptions(database.context(), BROWSER);
    await expect(enter(authenticator.get(options, { isVerified: false }))).rejects.toMatchObject(REFUSED);
    await expect(enter(authenticator.get(options))).rejects.toMatchObject(REFUSED);
  });

  test('works for one of ten simultaneous uses', async () => {
    const sent = await answer(await create(await person()));
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => enter(sent)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('belongs to the browser that asked for it', async () => {
    const authenticator = await create(await person());
    await expect(enter(await answer(authenticator), 'another browser')).rejects.toMatchObject(REFUSED);
  });

  test('is valid for five minutes', async () => {
    const authenticator = await create(await person());
    const [early, late] = [await answer(authenticator), await answer(authenticator)];
    await later(4 * MINUTE_MS, () => enter(early));
    await later(5 * MINUTE_MS, () => expect(enter(late)).rejects.toMatchObject(REFUSED));
    await later(5 * MINUTE_MS, () => purgeChallenges(database.context()));
    expect((await database.d1.prepare('select * from passkey_challenges').all()).results).toEqual([]);
  });

  test('for signing in creates no passkey, nor does that of another user', async () => {
    const [me, other] = [await person(), await person()];
    for (const { challenge } of [
      await signInOptions(me.ctx, BROWSER),
      await creationOptions(me.ctx, other.user, BROWSER),
    ]) {
      const response = new Authenticator(HOST).create({ challenge, user: { id: 'eA' } });
      const creation = { user: me.user, sessionId: me.sessionId, browser: BROWSER };
      await expect(createPasskey(me.ctx, { name: 'Mine', response }, creation)).rejects.toMatchObject(REFUSED);
    }
  });

  test('is stored as a digest', async () => {
    const { challenge } = await signInOptions(database.context(), BROWSER);
    const stored = JSON.stringify((await database.d1.prepare('select * from passkey_challenges').all()).results);
    expect(stored).not.toContain(challenge);
    expect(stored).not.toContain(BROWSER);
  });
});

test.each([
  ['https://passes.example', { id: 'passes.example', origin: 'https://passes.example' }],
  ['http://localhost:8787', { id: 'localhost', origin: 'http://localhost:8787' }],
  ['http://192.168.1.20:8787', undefined],
  ['http://[::1]:8787', undefined],
])('passkeys at %s', (baseUrl, party) => {
  expect(relyingParty({ ...database.context(), baseUrl })).toEqual(party);
});
