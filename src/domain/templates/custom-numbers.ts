import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import type { StoredDefinition } from './definition.ts';
import { customNumbers } from './table.ts';

/*
 * Used numbers of a template are stored as intervals per prefix, so a changed range still knows its free numbers. The
 * number of intervals depends on the ranges used, not on passes. Intervals never overlap: the next free number is the
 * range's first one or follows an interval.
 */

type Range = NonNullable<StoredDefinition['customNumberRange']>;

const { templateId: ofTemplate, prefix: ofPrefix, first, next: end } = customNumbers;

/** Builds the query of the next free number of a range; null if there is none. */
function nextFree(templateId: string, { prefix, from, to }: Range): SQL<number | null> {
  const used = sql`from ${customNumbers} where ${and(eq(ofTemplate, templateId), eq(ofPrefix, prefix))}`;
  return sql`(select min(free) from (select ${from} as free union all select ${end} ${used} and ${end} > ${from})
    where free <= ${to} and free >= coalesce((select ${end} ${used} and ${first} <= free order by ${first} desc limit 1), 0))`;
}

/** Builds the next custom number as passes show it: prefix, then the number padded with zeros. */
export function nextCustomNumber(templateId: string, range: Range): SQL<string> {
  return sql`${range.prefix} || printf('%0*d', ${range.padding}, ${nextFree(templateId, range)})`;
}

/** Returns the known parts of a custom number before it is assigned. */
export function numberedBarcode({ prefix, padding, to }: Range): { prefix: string; charsMax: number } {
  return { prefix, charsMax: prefix.length + Math.max(padding, String(to).length) };
}

/** Builds the condition that the range has a free number. */
export function hasCustomNumber(templateId: string, range: Range): SQL {
  return sql`${nextFree(templateId, range)} is not null`;
}

/** Builds the number of free numbers of a range. */
export function customNumbersLeft(templateId: string, { prefix, from, to }: Range): SQL {
  return sql`select ${to} - ${from} + 1 - coalesce(sum(min(${end}, ${to} + 1) - max(${first}, ${from})), 0) from ${customNumbers}
    where ${and(eq(ofTemplate, templateId), eq(ofPrefix, prefix))} and ${end} > ${from} and ${first} <= ${to}`;
}

/**
 * Builds the statement that takes the next number, for the batch that writes it to a pass. It extends the interval that
 * ends there, or starts one. It writes one row per range, so different templates don't block each other. The batch
 * makes it atomic.
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
