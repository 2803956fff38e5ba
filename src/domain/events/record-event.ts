import { type SQL, sql } from 'drizzle-orm';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import type { EventType } from './catalog.ts';
import { events } from './table.ts';

export interface NewEvent {
  type: EventType;
  templateId?: string;
  passId?: string;
  /** The body as subscribers get it. */
  body: Record<string, unknown>;
  /** Records the event only if this holds when the batch runs. */
  condition?: SQL;
}

/** The statement that records an event. Put it into the batch of the change that causes it, so that neither is without the other. */
export function recordEvent(ctx: AccountContext, event: NewEvent) {
  const now = Date.now();
  const id = uuidv7(shardOf(ctx.account.id), now);
  const values = sql`${id}, ${ctx.account.id}, ${event.type}, ${event.templateId ?? null}, ${event.passId ?? null},
    ${JSON.stringify(event.body)}, ${now}`;
  return ctx.db
    .insert(events)
    .select(event.condition ? sql`select ${values} where ${event.condition}` : sql`select ${values}`);
}
