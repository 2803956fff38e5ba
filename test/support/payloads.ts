import { randomUUID } from 'node:crypto';
import type { Client } from './api.ts';
import { d1 } from './control.ts';

const BODY = JSON.stringify({ uniqueIdentifier: randomUUID(), name: 'A', noOfActivePasses: 0, noOfCreatedPasses: 0 });

/**
 * A pull subscription with direct access to the rows of its payloads, for tests that need thousands, or other times.
 */
export interface PullRows {
  webhookId: string;
  /**
   * Stores payloads of one event with an age of `ageMillis`, and returns their identifiers in order. `first` puts them
   * before all stored ones.
   */
  store(
    count: number,
    options?: { ageMillis?: number; acknowledgedMillisAgo?: number; first?: boolean },
  ): Promise<string[]>;
}

export function pullRows(client: Client, webhookId: string = randomUUID()): PullRows {
  return {
    webhookId,
    async store(count, { ageMillis = 0, acknowledgedMillisAgo, first = false } = {}) {
      const now = Date.now();
      const eventId = randomUUID();
      const acknowledgedAt = acknowledgedMillisAgo === undefined ? null : now - acknowledgedMillisAgo;
      await d1(
        `insert into account_events (id, account_id, type, body, created_at) values (?, ?, 'pass_template_created', ?, ?)`,
        [eventId, client.accountId, BODY, now - ageMillis],
      );
      const prefix = eventId.slice(0, 24);
      const rows = await d1<{ id: string }>(
        `insert into webhook_payloads (sequence, id, account_id, subscription_id, event_id, type, triggered_at, acknowledged_at)
          with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ?1)
          select iif(?8, (select coalesce(min(sequence), 0) from webhook_payloads) - ?1 + value - 1, null), ?2 || printf('%012x', value), ?3, ?4, ?5, 'pass_template_created', ?6, ?7 from numbers returning id`,
        [count, prefix, client.accountId, webhookId, eventId, now - ageMillis, acknowledgedAt, first ? 1 : 0],
      );
      if (acknowledgedAt === null) {
        await d1(
          `insert into webhook_payload_counts (subscription_id, account_id, open) values (?1, ?2, ?3)
            on conflict (subscription_id) do update set open = open + ?3`,
          [webhookId, client.accountId, count],
        );
      }
      return rows.map(({ id }) => id).sort();
    },
  };
}
