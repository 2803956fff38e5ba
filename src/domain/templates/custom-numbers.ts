import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import type { StoredDefinition } from './definition.ts';
import { templates } from './table.ts';

type Range = NonNullable<StoredDefinition['customNumberRange']>;

/** SQL for the number that a template hands out next. */
function next(templateId: string, range: Range): SQL {
  return sql`(select max(coalesce(${templates.nextCustomNumber}, 0), ${range.from}) from ${templates}
    where ${eq(templates.id, templateId)})`;
}

/** SQL for the next custom number as it stands on a pass: prefix, then the number padded with zeros (decisions §8). */
export function nextCustomNumber(templateId: string, range: Range): SQL<string> {
  return sql`${range.prefix} || printf('%0*d', ${range.padding}, ${next(templateId, range)})`;
}

/** What is known of a custom number before it is handed out. */
export function numberedBarcode({ prefix, padding, to }: Range): { prefix: string; charsMax: number } {
  return { prefix, charsMax: prefix.length + Math.max(padding, String(to).length) };
}

/** SQL that holds while the range has a number left. */
export function hasCustomNumber(templateId: string, range: Range): SQL {
  return sql`${next(templateId, range)} <= ${range.to}`;
}

/**
 * The statement that uses the next number up, for the batch that writes it on a pass. One row a template, so creates of different templates do not
 * wait for each other; the batch makes reading and raising it one step.
 */
export function takeCustomNumber(ctx: Context, templateId: string, range: Range, condition: SQL) {
  return ctx.db
    .update(templates)
    .set({ nextCustomNumber: sql`max(coalesce(${templates.nextCustomNumber}, 0), ${range.from}) + 1` })
    .where(and(eq(templates.id, templateId), condition));
}
