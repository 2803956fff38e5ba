import { sql } from 'drizzle-orm';
import { chunksOf, PARAMETER_CHARS_MAX } from '../../platform/chunks.ts';
import type { Context } from '../context.ts';
import { events } from './table.ts';

/** An event with a body that has values. */
interface FilledEvent {
  id: string;
  /** JSON text. */
  body: string;
}

/**
 * The statements that give events of an account, whose bodies have no values, bodies with values. One whose pass is
 * gone meanwhile stays as it is. The table of passes goes by its name: passes know events, not the other way round.
 */
export function setBodies(ctx: Context, accountId: string, list: FilledEvent[]) {
  const rows = list.map(({ id, body }) => JSON.stringify([id, body]));
  const stands = sql`(account_events.pass_id is null
    or exists (select 1 from passes where passes.id = account_events.pass_id and passes.account_id = ${accountId}))`;
  return chunksOf(rows, PARAMETER_CHARS_MAX).map((chunk) =>
    ctx.db
      .update(events)
      .set({ body: sql`filled.value ->> 1`, hasValues: true })
      .from(sql`json_each(${`[${chunk}]`}) as filled`)
      .where(
        sql`${events.accountId} = ${accountId} and ${events.id} = filled.value ->> 0 and has_values is null and ${stands}`,
      ),
  );
}
