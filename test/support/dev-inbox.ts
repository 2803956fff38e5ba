import type { InboxKind } from '../../src/dev/inbox/table.ts';
import { send } from './api.ts';

/** An item of the dev inbox, in its JSON form. */
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

/** Returns what was sent to a recipient, newest first. */
export async function inboxOf(to: string): Promise<InboxItem[]> {
  const { body } = await send('GET', `/dev/inbox?to=${encodeURIComponent(to)}`);
  return body.items;
}

/** Returns the bytes of an item's file. */
export async function inboxFile(url: `http://${string}`): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}
