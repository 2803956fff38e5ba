import { eq, type SQL, sql } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { randomToken, uuidv7 } from '../../platform/ids.ts';
import type { Context } from '../context.ts';
import { newSession, recordSignIn, SESSION_BYTES, type Visit } from './begin-session.ts';
import { memberships, sessions, users } from './table.ts';

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
