import { expect } from 'vitest';
import type { Client, Reply } from './api.ts';
import { d1, eventually, runScheduled } from './control.ts';
import type { OutsideRequest, OutsideServer } from './outside-server.ts';

/** A subscription in a reply to `Prefer: return=representation`. */
export interface SubscribedBody {
  identifier: string;
  secret: string;
  accessToken?: string;
  event: string;
  status: string;
}

/** One delivery in an API list. */
export interface DeliveryBody {
  deliveryId: string;
  state: 'waiting' | 'delivered' | 'failed';
  createdOn: string;
  nextAttemptOn: string | null;
  attempts: { attemptedOn: string; outcome: string; status?: number; answer?: string; durationMillis: number }[];
}

/** Subscribes, and returns the full representation. */
export async function subscribed(
  client: Client,
  target: string,
  options: Record<string, unknown> & { event?: string; template?: string; origin?: string } = {},
): Promise<SubscribedBody> {
  const { template, origin = '', ...fields } = options;
  const path = `${origin}/api/hook/subscribe${template ? `/${template}` : ''}` as '/';
  const body = { target_url: target, event: 'pass_created', ...fields };
  return expectStatus(await client.post(path, body, { Prefer: 'return=representation' }), 201).body;
}

/** Returns a subscription's latest deliveries, newest first. */
export async function deliveriesOf(client: Client, id: string, origin = ''): Promise<DeliveryBody[]> {
  return expectStatus(await client.get(`${origin}/api/hook/${id}/deliveries` as '/'), 200).body.results;
}

/** Returns the identifier of the event in a request to a receiver. */
export const webhookId = (request: OutsideRequest): string => String(request.headers['webhook-id']);

/** Returns the JSON of a request to a receiver. */
// biome-ignore lint/suspicious/noExplicitAny: what stands in a body is what the tests are there to find out
export const told = (request: OutsideRequest): any => JSON.parse(request.body.toString());

/** Counts the deliveries of each pass. Fails if one event had two identifiers, or two events had one. */
export function timesTold(server: OutsideServer): Map<string, number> {
  const idOf = new Map<string, string>();
  const times = new Map<string, number>();
  for (const request of server.requests) {
    const { identifier } = told(request);
    expect(idOf.get(identifier) ?? webhookId(request)).toBe(webhookId(request));
    idOf.set(identifier, webhookId(request));
    times.set(identifier, (times.get(identifier) ?? 0) + 1);
  }
  expect(new Set(idOf.values()).size).toBe(idOf.size);
  return times;
}

function expectStatus(reply: Reply, status: number): Reply {
  if (reply.status !== status) {
    throw new Error(`expected ${status}, got ${reply.status}: ${JSON.stringify(reply.body)}`);
  }
  return reply;
}

/** Waits until a subscription's deliveries satisfy `is`, and returns them. */
export function deliveriesWhen(
  client: Client,
  id: string,
  is: (deliveries: DeliveryBody[]) => boolean,
  deadlineMillis?: number,
  origin?: string,
): Promise<DeliveryBody[]> {
  return eventually(async () => {
    const list = await deliveriesOf(client, id, origin);
    return is(list) && list;
  }, deadlineMillis);
}

/** Makes every pending attempt of a subscription due now, and runs the cron for it. */
export async function hurry(id: string): Promise<void> {
  await d1(
    'update event_deliveries set next_attempt_at = 1 where subscription_id = ? and next_attempt_at is not null',
    [id],
  );
  await runScheduled();
}
