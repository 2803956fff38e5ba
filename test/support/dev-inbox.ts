import type { InboxKind } from '../../src/dev/inbox/table.ts';
import { send } from './api.ts';

/** An item of the dev inbox, as its JSON gives it. */
export interface InboxItem {
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
export async function inboxOf(to: string): Promise<InboxItem[]> {
  const { body } = await send('GET', `/dev/inbox?to=${encodeURIComponent(to)}`);
  return body.items;
}

/** The bytes of a file of an item. */
export async function inboxFile(url: `http://${string}`): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}
