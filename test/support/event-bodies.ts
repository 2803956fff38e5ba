import type { EventType } from '../../src/domain/events/catalog.ts';
import { expandBody } from '../../src/domain/events/compact-body.ts';
import { d1 } from './control.ts';

interface RecordedEvent {
  type: EventType;
  // biome-ignore lint/suspicious/noExplicitAny: the body of any event
  body: any;
}

/** Returns recorded events with all members of their bodies; `where` ends the statement. */
export async function recordedEvents(where: string, values: string[], link = ''): Promise<RecordedEvent[]> {
  const rows = await d1<{ type: EventType; body: string; passId: string | null; templateId: string | null }>(
    `select type, body, pass_id as "passId", template_id as "templateId" from account_events where ${where}`,
    values,
  );
  return rows.map((row) => ({ type: row.type, body: expandBody(row, link) }));
}
