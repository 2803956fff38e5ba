import * as z from 'zod';
import { actForAccount } from '../domain/accounts/find-account.ts';
import type { Context } from '../domain/context.ts';
import { forEachDatabase } from '../domain/databases/list-databases.ts';
import {
  discardDeadLetter,
  listDeadLetters,
  positionOf,
  requestRetries,
  requestRetry,
  type ShownLetter,
} from '../domain/dead-letters/manage-dead-letters.ts';
import { DomainError, invalid, notFound } from '../domain/errors.ts';
import { type AdminCommand, command, iso, OfAccountOrService } from './command.ts';

/** Dead letters per list. `--before` with the position of the last one lists the next ones. */
const LETTERS_DEFAULT = 100;
const LETTERS_MAX = 1_000;

/** A letter's ID is that of its queue message, which doesn't identify the account, so every database is searched. */
export const DEAD_LETTER_COMMANDS: Record<string, AdminCommand> = {
  'dead-letter list': command(
    'dead-letter list [--account A] [--limit N] [--before P]',
    OfAccountOrService.extend({
      limit: z.coerce.number().int().min(1).max(LETTERS_MAX).default(LETTERS_DEFAULT),
      before: z.string().optional(),
    }),
    async (ctx, { account, ...page }) => {
      const lists = await within(ctx, account, (reach) => listDeadLetters(reach, page));
      return newest(lists.flat(), page.limit).map((letter) => ({
        letterId: letter.id,
        accountId: letter.accountId,
        job: JSON.stringify(letter.body),
        failedOn: iso(letter.failedAt),
        retryOn: letter.dueAt === null ? null : iso(letter.dueAt),
        position: positionOf(letter),
      }));
    },
  ),
  'dead-letter retry': command(
    'dead-letter retry (--id I | --account A | --all)',
    OfAccountOrService.extend({ id: z.string().optional(), all: z.literal(true).optional() }),
    async (ctx, { id, account, all }) => {
      if ([id, account, all].filter((given) => given !== undefined).length !== 1) {
        throw invalid('id, account or all: one of them is required');
      }
      if (id === undefined) {
        const requested = await within(ctx, account, requestRetries);
        return { requested: requested.reduce((sum, one) => sum + one, 0) };
      }
      await whereFound(ctx, (reach) => requestRetry(reach, id));
      return { requested: 1 };
    },
  ),
  'dead-letter discard': command('dead-letter discard --id I', z.object({ id: z.string() }), async (ctx, { id }) => {
    await whereFound(ctx, (reach) => discardDeadLetter(reach, id));
    return { discarded: 1 };
  }),
};

/** Runs `work` for the account, or in every database if no account is given. Throws `not_found`. */
async function within<T>(ctx: Context, account: string | undefined, work: (ctx: Context) => Promise<T>): Promise<T[]> {
  return account === undefined ? forEachDatabase(ctx, work) : [await work(await actForAccount(ctx, account))];
}

/** Runs `work` in each database. Throws `not_found` if no database has the subject. */
async function whereFound(ctx: Context, work: (ctx: Context) => Promise<void>): Promise<void> {
  const outcomes = await forEachDatabase(ctx, (reach) =>
    work(reach).then(
      () => true,
      (error: unknown) => {
        if (error instanceof DomainError && error.kind === 'not_found') return false;
        throw error;
      },
    ),
  );
  if (!outcomes.includes(true)) throw notFound();
}

function newest(letters: ShownLetter[], limit: number): ShownLetter[] {
  const isLater = (a: ShownLetter, b: ShownLetter) => b.failedAt - a.failedAt || (a.id < b.id ? 1 : -1);
  return letters.sort(isLater).slice(0, limit);
}
