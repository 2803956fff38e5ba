import { sql } from 'drizzle-orm';
import { chunksOf, PARAMETER_CHARS_MAX } from '../../platform/chunks.ts';
import type { Context } from '../context.ts';
import { events } from './table.ts';

/** An event with its two possible bodies, as JSON text. */
interface FilledEvent {
  id: string;
  withValues: string;
  withoutValues: string;
}

/**
 * Builds the statements that give an account's events bodies with values in place of those without, unless the pass was
 * deleted in the meantime. The passes table is named as text: passes know events, not vice versa.
 */
export function setBodies(ctx: Context, accountId: string, list: FilledEvent[]) {
  const rows = list.map(({ id, ...bodies }) => JSON.stringify([id, bodies.withValues, bodies.withoutValues]));
  const isPassPresent = sql`(account_events.pass_id is null
    or exists (select 1 from passes where passes.id = account_events.pass_id and passes.account_id = ${accountId}))`;
  return chunksOf(rows, PARAMETER_CHARS_MAX).map((chunk) =>
    ctx.db
      .update(events)
      .set({
        body: sql`iif(${isPassPresent}, filled.value ->> 1, filled.value ->> 2)`,
        hasValues: sql`iif(${isPassPresent}, 1, null)`,
      })
      .from(sql`json_each(${`[${chunk}]`}) as filled`)
      .where(sql`${events.accountId} = ${accountId} and ${events.id} = filled.value ->> 0 and has_values is null`),
  );
}
