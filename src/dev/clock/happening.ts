import type { DeliveryState } from '../../domain/webhooks/table.ts';
import type { InboxKind } from '../inbox/table.ts';

/** The facts that an advance of the clock lists, by type. */
type Facts =
  /** A template's notification or a version was published. */
  | {
      type: 'notification';
      accountId: string;
      id: string;
      templateId: string;
      text: string | null;
      version: number | null;
    }
  /** Something left the service and is in the dev inbox. */
  | { type: 'message'; kind: InboxKind; to: string; subject: string; url: string }
  /** A webhook was called. */
  | {
      type: 'delivery';
      accountId: string;
      webhookId: string;
      eventId: string;
      event: string;
      attempt: number;
      outcome: string;
      state: DeliveryState;
    }
  /** An event was recorded. */
  | { type: 'event'; event: string; accountId: string; id: string; passId: string | null; templateId: string | null }
  /** A pass expired. */
  | { type: 'expired'; accountId: string; passId: string; templateId: string }
  /** A job or a cron task changed rows or failed. */
  | { type: 'job' | 'task'; name: string; subject?: string; database?: string; status: string; rowsWritten: number };

/** Something that happened, with its time in UTC milliseconds. */
export type Happening = { at: number } & Facts;
