import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { constantTimeEqual } from '../../platform/crypto.ts';
import type { Env } from '../../platform/env.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { readEncryptionKeys } from '../../platform/sealed-text.ts';
import { NewAccount } from '../accounts/create-account.ts';
import { firstAccount, hasAccounts } from '../accounts/first-account.ts';
import { copyServiceKeys } from '../certificates/copy-service-keys.ts';
import { checked } from '../check.ts';
import { type Actor, type Context, inDirectory } from '../context.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { openForAccounts } from '../databases/open-database.ts';
import { invalidField, notFound } from '../errors.ts';
import { AnyText } from '../fields.ts';
import { keepAddress, knownAddress } from '../public-address.ts';
import { IS_SET_UP, noteSetUp } from '../service-settings/change-address.ts';
import { DIRECTORY, databaseNames } from '../shard-map.ts';
import { isBegun, type Visit } from '../users/begin-session.ts';
import { Email, firstOwner } from '../users/invite-user.ts';
import { newIdIn, writeOnce } from '../write-once.ts';

/** A shorter token could be guessed. */
export const SETUP_TOKEN_CHARS_MIN = 16;

/** The token identifies an operator of the deployment. */
const OPERATOR: Actor = { type: 'operator', id: null, name: 'operator' };

/** Until when a deployment is known to be closed, by directory: forever once somebody has set it up. */
const closedUntil = new WeakMap<D1Database, number>();
/** An account may exist for seconds only, like that of the smoke test (`scripts/deploy`). */
const CLOSED_MS = 10_000;

/** Why a deployment cannot be set up yet. */
export type SetUpObstacle = 'no token' | 'short token' | 'no encryption key';

/** Returns what is missing in the settings of the deployment; undefined: nothing. */
export function setUpObstacle(env: Env): SetUpObstacle | undefined {
  const token = env.SETUP_TOKEN?.trim() ?? '';
  if (token === '') return 'no token';
  if (token.length < SETUP_TOKEN_CHARS_MIN) return 'short token';
  try {
    readEncryptionKeys(env);
    return undefined;
  } catch {
    return 'no encryption key';
  }
}

/** Whether no account exists, in any database. No round trip once somebody has set up the service. */
export async function canBeSetUp(ctx: Context): Promise<boolean> {
  if ((closedUntil.get(ctx.env.DB) ?? 0) > Date.now()) return false;
  const found = await forEachDatabase(ctx, hasAccounts);
  const [noted] = await inDirectory(ctx)
    .db.select({ isSetUp: sql<number>`${IS_SET_UP}`.as('is_set_up') })
    .from(sql`(select 1)`);
  const isOpen = !found.includes(true) && noted?.isSetUp !== 1;
  if (!isOpen) closedUntil.set(ctx.env.DB, noted?.isSetUp === 1 ? Number.POSITIVE_INFINITY : Date.now() + CLOSED_MS);
  return isOpen;
}

const SetUp = z.object({
  token: AnyText,
  ...NewAccount.pick({ name: true, timezone: true }).shape,
  email: AnyText.pipe(Email),
});

/** Where the set-up takes place. */
export interface SetUpPlace {
  /** Origin that the form was sent to; links begin with it from then on. */
  origin: string;
  visit: Visit;
}

/**
 * Creates the first account with its owner, who becomes an operator of the service and is signed in. One batch, whose
 * first statement does nothing if an account exists. Throws `invalid`, and `not_found` once an account exists.
 */
export async function setUpService(
  origin: Context,
  input: z.input<typeof SetUp>,
  place: SetUpPlace,
): Promise<{ accountId: string; session: string }> {
  // Without a configured token, an empty one would match.
  if (setUpObstacle(origin.env)) throw notFound();
  const { token, email, ...fields } = checked(SetUp, input);
  if (!constantTimeEqual(token.trim(), origin.env.SETUP_TOKEN?.trim() ?? ''))
    throw invalidField('token', 'is not the SETUP_TOKEN of this deployment');
  if (!(await canBeSetUp(origin))) throw notFound();
  const ctx = { ...inDirectory(origin), actor: OPERATOR };
  const first = firstAccount(ctx, newIdIn(ctx, 0, 'setup'), fields, sql`not ${IS_SET_UP}`);
  const { isCreated, account } = first;
  const { visit } = place;
  const owner = await firstOwner({ ...ctx, actor: undefined }, { email, accountId: account.id, isCreated, visit });
  const find = async () => {
    const [begun] = await ctx.db.select({ is: sql<number>`${isBegun(owner.digest)}`.as('is') }).from(sql`(select 1)`);
    return begun?.is === 1 ? true : undefined;
  };
  const isDone = await writeOnce({}, find, async () => {
    const note = noteSetUp(ctx, { now: Date.now(), baseUrl: place.origin }, isCreated);
    const [made] = await ctx.db.batch([...first.statements, ...owner.statements, note]);
    return made.length > 0;
  });
  if (!isDone) throw notFound();
  closedUntil.set(ctx.env.DB, Number.POSITIVE_INFINITY);
  if (knownAddress(ctx.env) === undefined) keepAddress(ctx.env, place.origin);
  ctx.waitUntil(openAll(ctx));
  return { accountId: account.id, session: owner.session };
}

/** Opens every database of the deployment for new accounts. If that fails here, `database open` does it. */
async function openAll(ctx: Context): Promise<void> {
  for (const name of databaseNames(ctx.env)) {
    if (name === DIRECTORY) continue;
    await openForAccounts(ctx, name, copyServiceKeys).catch((error: unknown) =>
      logLine('error', {
        event: 'open-database',
        database: name,
        requestId: ctx.requestId,
        error: describeError(error),
      }),
    );
  }
}
