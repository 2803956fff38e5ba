import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import type { StoredDefinition } from './definition.ts';
import { customNumbers } from './table.ts';

/*
 * Used numbers of a template are intervals by prefix, so a changed range knows its free numbers. There are as many
 * intervals as ranges used, however many passes exist. Intervals never overlap, so the next free number is the range's
 * first one or follows the end of an interval.
 */

type Range = NonNullable<StoredDefinition['customNumberRange']>;

const { templateId: ofTemplate, prefix: ofPrefix, first, next: end } = customNumbers;

/** SQL for the next free number of a range; null when there is none. */
function nextFree(templateId: string, { prefix, from, to }: Range): SQL<number | null> {
  const used = sql`from ${customNumbers} where ${and(eq(ofTemplate, templateId), eq(ofPrefix, prefix))}`;
  return sql`(select min(free) from (select ${from} as free union all select ${end} ${used} and ${end} > ${from})
    where free <= ${to} and free >= coalesce((select ${end} ${used} and ${first} <= free order by ${first} desc limit 1), 0))`;
}

/** SQL for the next custom number as it stands on a pass: prefix, then the number padded with zeros. */
export function nextCustomNumber(templateId: string, range: Range): SQL<string> {
  return sql`${range.prefix} || printf('%0*d', ${range.padding}, ${nextFree(templateId, range)})`;
}

/** What is known of a custom number before it is handed out. */
export function numberedBarcode({ prefix, padding, to }: Range): { prefix: string; charsMax: number } {
  return { prefix, charsMax: prefix.length + Math.max(padding, String(to).length) };
}

/** SQL that holds while the range has a number left. */
export function hasCustomNumber(templateId: string, range: Range): SQL {
  return sql`${nextFree(templateId, range)} is not null`;
}

/**
 * The statement that uses the next number up, for the batch that writes it on a pass: it goes to the interval that ends
 * there, or begins one. One row a range, so creates of different templates do not wait for each other; the batch makes
 * reading and raising it one step.
 */
export function takeCustomNumber(ctx: Context, templateId: string, range: Range, condition: SQL) {
  const before = sql`select ${first} from ${customNumbers}
    where ${and(eq(ofTemplate, templateId), eq(ofPrefix, range.prefix))} and ${end} = free`;
  return ctx.db
    .insert(customNumbers)
    .select(
      sql`select ${templateId}, ${range.prefix}, coalesce((${before}), free), free + 1
        from (select ${nextFree(templateId, range)} as free) where ${condition}`,
    )
    .onConflictDoUpdate({ target: [ofTemplate, ofPrefix, first], set: { next: sql`excluded.next` } });
}
