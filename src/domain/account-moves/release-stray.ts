import { eq } from 'drizzle-orm';
import { randomToken } from '../../platform/ids.ts';
import { logLine } from '../../platform/log.ts';
import { findRow } from '../accounts/copies.ts';
import { type Context, inDatabase } from '../context.ts';
import { DIRECTORY } from '../shard-map.ts';
import { switchOver } from './switch-account.ts';
import { type AccountMove, accountMoves } from './table.ts';

/**
 * Turns the account of this database into an old copy, if it lives in `place` as well: the restore of a database brings
 * back accounts that have moved away since. Returns whether it did. `tidyMoves` removes the copy a day later.
 */
export async function releaseStray(ctx: Context, accountId: string, place: string): Promise<boolean> {
  const { database = DIRECTORY } = ctx;
  const home = inDatabase(ctx, place);
  const ofAccount = eq(accountMoves.accountId, accountId);
  const [here, [own], there, [open]] = await Promise.all([
    findRow(ctx, accountId),
    ctx.db.select().from(accountMoves).where(ofAccount),
    findRow(home, accountId),
    home.db.select().from(accountMoves).where(ofAccount),
  ]);
  if (place === database || here?.livesIn !== null || there?.livesIn !== null) return false;
  // During a switch, too, both rows are those of an account.
  if (own?.step === 'sealed' || (open && open.step !== 'moved')) return false;
  const state = { target: place, step: 'sealed', claim: randomToken(), isSealed: true, hasTriggers: true } as const;
  const row: AccountMove = {
    ...{ accountId, ...state, tableIndex: 0, place: null, startedAt: Date.now(), blockedUntilAt: 0 },
    ...{ blockedAt: Date.now(), readOnlyMs: null, rows: null, movedAt: null },
  };
  await ctx.db.insert(accountMoves).values(row).onConflictDoUpdate({ target: accountMoves.accountId, set: row });
  await switchOver({ accountId, from: ctx, to: home }, place);
  logLine('info', { event: 'stray-account', account: accountId, database, livesIn: place });
  return true;
}
