import type { InboxKind } from '../../src/dev/inbox/table.ts';
import { send } from './api.ts';

/** An item of the outbox, as its JSON gives it. */
export interface OutboxItem {
  id: number;
  kind: InboxKind;
  to: string;
  subject: string;
  text: string;
  at: string;
  html?: string;
  attachments?: { filename: string; type: string; bytes: number; url: `http://${string}` }[];
  source?: `http://${string}`;
  [detail: string]: unknown;
}

/** What has been sent to a recipient, newest first. */
export async function outboxOf(to: string): Promise<OutboxItem[]> {
  const { body } = await send('GET', `/dev/outbox?to=${encodeURIComponent(to)}`);
  return body.items;
}

/** The bytes of a file of an item. */
export async function outboxFile(url: `http://${string}`): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}
