import type { Client, CreatedPass } from '../support/api.ts';
import { recordedEvents } from '../support/event-bodies.ts';

/** On how many devices a pass is, and on how many it was, as the API says. */
export async function countsOf(
  client: Client,
  { identifier }: CreatedPass,
): Promise<[active: number, inactive: number]> {
  const { body } = await client.get(`/api/pass/${identifier}`);
  return [body.numberOfActive, body.numberOfInactive];
}

/** The events of a pass that tell of its devices, in their order, each with its type. */
export async function deviceEventsOf({ identifier }: CreatedPass): Promise<Record<string, unknown>[]> {
  const rows = await recordedEvents("pass_id = ? and type like '%pushnotification%' order by id", [identifier]);
  return rows.map(({ type, body }) => ({ ...body, type }));
}
