import type { Client, CreatedPass } from '../support/api.ts';
import { recordedEvents } from '../support/event-bodies.ts';

/** Returns how many devices have a pass, and how many had it, according to the API. */
export async function countsOf(
  client: Client,
  { identifier }: CreatedPass,
): Promise<[active: number, inactive: number]> {
  const { body } = await client.get(`/api/pass/${identifier}`);
  return [body.numberOfActive, body.numberOfInactive];
}

/** Returns a pass's events about devices, in order, each with its type. */
export async function deviceEventsOf({ identifier }: CreatedPass): Promise<Record<string, unknown>[]> {
  const rows = await recordedEvents("pass_id = ? and type like '%pushnotification%' order by id", [identifier]);
  return rows.map(({ type, body }) => ({ ...body, type }));
}
