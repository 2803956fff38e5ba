import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import * as z from 'zod';
import { sha256 } from '../../platform/crypto.ts';
import { randomToken, uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import { forwardOwnEntries } from '../audit/forward-entries.ts';
import { recordAction, recordPersonAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import { type AccountContext, type Context, inDirectory } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { EMAIL_HINT } from '../fields.ts';
import { newId } from '../write-once.ts';
import { newSession, recordSignIn, SESSION_BYTES, type Visit } from './begin-session.ts';
import { anotherOwner, lastOwner } from './change-member.ts';
import { Privilege } from './privileges.ts';
import { memberships, sessions, users } from './table.ts';

/** Longest address that mail can carry (RFC 5321 §4.5.3.1.3, without the brackets). */
const EMAIL_CHARS_MAX = 254;

/** The address that a user signs in with: one spelling per person. */
export const Email = z.string().trim().toLowerCase().max(EMAIL_CHARS_MAX).pipe(z.email(EMAIL_HINT));

const Invitation = z.object({ email: Email, privileges: z.array(Privilege).default(['read']) });
type Invitation = z.input<typeof Invitation>;

interface Membership {
  userId: string;
  email: string;
  privileges: string[];
}

/** Limit of an account: pages of the console show all members, and mails to owners go to all of them. */
const MEMBERS_MAX = 1_000;

/**
 * Makes a person, known or not, a member of the account; for a member it replaces the privileges. Without privileges a
 * member can read. Throws `invalid` for an invalid address or privilege, if no owner would be left, and if the account
 * is full.
 */
export async function inviteUser(ctx: AccountContext, input: Invitation): Promise<Membership> {
  const { email, privileges } = checked(Invitation, input);
  const now = Date.now();
  const unique = [...new Set(privileges)];
  const invited = sql`(select ${users.id} from ${users} where ${eq(users.email, email)})`;
  const target = { type: 'user', id: invited, name: email };
  const changes = [{ field: 'privileges', new: unique }];
  const directory = inDirectory(ctx);
  const { db } = directory;
  const ofAccount = eq(memberships.accountId, ctx.account.id);
  const isMember = sql`exists (select 1 from ${memberships} where ${and(eq(memberships.userId, invited), ofAccount)})`;
  const canJoin = sql`(${isMember} or (select count(*) < ${MEMBERS_MAX} from ${memberships} where ${ofAccount}))`;
  const [, joined] = await db.batch([
    db
      .insert(users)
      .select(
        sql`select ${rowValues(users, { id: uuidv7(0, now), email, createdAt: now, operatorSince: null })} where ${canJoin}`,
      )
      .onConflictDoNothing(),
    db
      .insert(memberships)
      .select(
        db
          .select({
            userId: sql`${users.id}`.as('user_id'),
            accountId: sql`${ctx.account.id}`.as('account_id'),
            privileges: sql`${JSON.stringify(unique)}`.as('privileges'),
            createdAt: sql`${now}`.as('created_at'),
          })
          .from(users)
          .where(and(eq(users.email, email), canJoin)),
      )
      .onConflictDoUpdate({
        target: [memberships.userId, memberships.accountId],
        set: { privileges: unique },
        setWhere: unique.includes('owner') ? undefined : anotherOwner(ctx, sql`${memberships.userId}`),
      })
      .returning({ userId: memberships.userId }),
    recordAction(directory, { id: newId(ctx, `invite ${email}`), action: 'member.invite', target, changes }),
  ]);
  const [member] = joined;
  if (!member) {
    const [found] = await db.select({ isMember: isMember.as('is_member') }).from(sql`(select 1)`);
    throw found?.isMember
      ? lastOwner()
      : invalid(`An account can have at most ${MEMBERS_MAX} members; remove some first`);
  }
  await forwardOwnEntries(directory);
  return { userId: member.userId, email, privileges: unique };
}

/** Returns the user with this address. Throws not found. */
export async function getUserId(ctx: Context, email: string): Promise<string> {
  const isTarget = eq(users.email, email.trim().toLowerCase());
  const [user] = await inDirectory(ctx).db.select({ id: users.id }).from(users).where(isTarget);
  if (!user) throw notFound();
  return user.id;
}

interface FirstOwner {
  /** Checked by `Email`. */
  email: string;
  accountId: string;
  /** True if the account was created. */
  isCreated: SQL;
  visit: Visit;
}

/**
 * Builds the statements that make a person the owner of a new account and an operator of the service, and sign them in.
 * `session` is the cookie's value; only its digest is stored.
 */
export async function firstOwner(ctx: Context, { email, accountId, isCreated, visit }: FirstOwner) {
  const now = Date.now();
  const session = randomToken(SESSION_BYTES);
  const digest = await sha256(session);
  const isOwner = sql`${eq(users.email, email)} and ${isCreated}`;
  const { db } = ctx;
  const statements = [
    db
      .insert(users)
      .select(sql`select ${uuidv7(0, now)}, ${email}, ${now}, ${now} where ${isCreated}`)
      .onConflictDoUpdate({ target: users.email, set: { operatorSince: now } }),
    db
      .insert(memberships)
      .select(sql`select ${users.id}, ${accountId}, '["owner"]', ${now} from ${users} where ${isOwner}`),
    db.insert(sessions).select(
      db
        .select(newSession({ digest, userId: users.id, now, visit }))
        .from(users)
        .where(isOwner),
    ),
    recordSignIn(ctx, 'setup', sql`(select ${users.id} from ${users} where ${eq(users.email, email)})`),
  ] as const;
  return { session, digest, statements };
}

/**
 * Makes a person, known or not, an operator of the service, or ends that. An operator sees the state of the service and
 * gets its alerts, but sees nothing of an account. Throws `invalid` for an invalid address, and not found if the person
 * to remove is unknown.
 */
export async function setOperator(ctx: Context, address: string, isOperator: boolean): Promise<{ userId: string }> {
  const email = checked(Email, address) as string;
  const now = Date.now();
  if (isOperator)
    await ctx.db
      .insert(users)
      .values({ id: uuidv7(0, now), email, createdAt: now })
      .onConflictDoNothing();
  const userId = await getUserId(ctx, email);
  const isOther = isOperator ? isNull(users.operatorSince) : isNotNull(users.operatorSince);
  await ctx.db.batch([
    ctx.db
      .update(users)
      .set({ operatorSince: isOperator ? now : null })
      .where(and(eq(users.id, userId), isOther)),
    recordPersonAction(ctx, { action: isOperator ? 'operator.add' : 'operator.remove' }, userId),
  ]);
  await forwardOwnEntries(ctx);
  return { userId };
}
