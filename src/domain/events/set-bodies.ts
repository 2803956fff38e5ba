import { sql } from 'drizzle-orm';
import { chunksOf, PARAMETER_CHARS_MAX } from '../../platform/chunks.ts';
import type { Context } from '../context.ts';
import { events } from './table.ts';

/** An event with the two bodies that it may get, as JSON texts. */
interface FilledEvent {
  id: string;
  withValues: string;
  withoutValues: string;
}

/**
 * The statements that give events of an account, whose bodies have no values, bodies with values; without them if the
 * pass is gone meanwhile. The table of passes goes by its name: passes know events, not the other way round.
 */
export function setBodies(ctx: Context, accountId: string, list: FilledEvent[]) {
  const rows = list.map(({ id, ...bodies }) => JSON.stringify([id, bodies.withValues, bodies.withoutValues]));
  const stands = sql`(account_events.pass_id is null
    or exists (select 1 from passes where passes.id = account_events.pass_id and passes.account_id = ${accountId}))`;
  return chunksOf(rows, PARAMETER_CHARS_MAX).map((chunk) =>
    ctx.db
      .update(events)
      .set({
        body: sql`iif(${stands}, filled.value ->> 1, filled.value ->> 2)`,
        hasValues: sql`iif(${stands}, 1, null)`,
      })
      .from(sql`json_each(${`[${chunk}]`}) as filled`)
      .where(sql`${events.accountId} = ${accountId} and ${events.id} = filled.value ->> 0 and has_values is null`),
  );
}
