import { asc, eq } from 'drizzle-orm';
import type { Child } from 'hono/jsx';
import { actForAccount } from '../../domain/accounts/find-account.ts';
import { type AccountContext, type Context, inDirectory } from '../../domain/context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { memberships, users } from '../../domain/users/table.ts';

/** The user that `npm start` creates as owner of the demo account. */
const DEMO_USER = 'demo@example.com';

/**
 * Returns a context in which the demo user acts for the demo account, the user's first one; undefined if it is gone.
 */
export async function findDemo(ctx: Context): Promise<AccountContext | undefined> {
  const directory = inDirectory(ctx);
  const [found] = await directory.db
    .select({ userId: users.id, accountId: memberships.accountId })
    .from(users)
    .innerJoin(memberships, eq(memberships.userId, users.id))
    .where(eq(users.email, DEMO_USER))
    .orderBy(asc(memberships.createdAt), asc(memberships.accountId))
    .limit(1);
  const acting = found && (await orUndefined(actForAccount(directory, found.accountId)));
  return acting && { ...acting, actor: { type: 'user', id: found.userId, name: DEMO_USER } };
}

/** Like `findDemo`, but throws `not_found`. */
export async function getDemo(ctx: Context): Promise<AccountContext> {
  const demo = await findDemo(ctx);
  if (!demo) throw notFound();
  return demo;
}

/** Returns the result, or undefined for a `not_found` error. */
export async function orUndefined<T>(finding: Promise<T>): Promise<T | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') return undefined;
    throw error;
  }
}

/** The demo that the front page of a local service adds. */
export interface DevDemo {
  section: Child;
  /** Colors of the card that is shown. */
  css: string;
  /** Names of client files. */
  stylesheet: string;
  script: string;
}
