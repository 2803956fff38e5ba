import type { AccountContext } from '../context.ts';
import { namedPassesQuery, toDefinedPasses } from '../passes/bulk/bulk-find.ts';
import { type PersonMatch, selectPersonPasses } from '../search/persons.ts';
import { countAbout, type NOTHING } from './about-passes.ts';

/** What there is about the passes of a person, by name; changes nothing. Throws `invalid` as a process would. */
export async function countPerson(ctx: AccountContext, match: PersonMatch): Promise<Partial<typeof NOTHING>> {
  const total: Record<string, number> = {};
  let after: number | null = null;
  for (;;) {
    const { ids, isLast, key } = await selectPersonPasses(ctx, match, after);
    const defined = await toDefinedPasses(ctx, await namedPassesQuery(ctx, ids));
    const counts = await countAbout(ctx, [...defined.values()]);
    for (const [name, number] of Object.entries(counts)) total[name] = (total[name] ?? 0) + number;
    if (isLast) break;
    after = key;
  }
  const { passes, scans, messages, events, replies, images } = total;
  return { passes, scans, messages, events, replies, images };
}
