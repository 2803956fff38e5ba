import type { AccountContext } from '../context.ts';
import { namedPassesQuery, toDefinedPasses } from '../passes/bulk/bulk-find.ts';
import { type PersonMatch, selectPersonPasses } from '../search/persons.ts';
import { addCounts, countAll, NOTHING, type PassCounts } from './about-passes.ts';
import { findOtherMessages, recipientsOf } from './other-messages.ts';

/** Counts the data about a person, by kind. Changes nothing. Throws `invalid` as a process would. */
export async function countPerson(ctx: AccountContext, match: PersonMatch): Promise<PassCounts> {
  const total = { ...NOTHING };
  let after: number | null = null;
  for (;;) {
    const { ids, isLast, key } = await selectPersonPasses(ctx, match, after);
    const defined = await toDefinedPasses(ctx, await namedPassesQuery(ctx, ids));
    addCounts(total, await countAll(ctx, [...defined.values()]));
    if (isLast) break;
    after = key;
  }
  const { passes, scans, events, replies, images } = total;
  const others = await findOtherMessages(ctx, recipientsOf(match), match);
  const messages = total.messages + others.length;
  return { passes, scans, messages, events, replies, images };
}
