import { EVENT_TYPES } from '../../src/domain/events/catalog.ts';

/**
 * Makes an account's events keep their values, by adding a webhook that may receive them: its receiver has ended it, so
 * it gets nothing. Its secret uses the current key, so rotations skip it.
 */
export async function keepValues(
  run: (statement: string, params: string[]) => Promise<unknown>,
  accountId: string,
): Promise<void> {
  await run(
    `insert into webhook_subscriptions (id, account_id, event, target_url, retry_enabled, sign_payload, secret_sealed, status, created_at)
      select ?1 || value, ?1, value, 'https://ended.example.com/', 0, 0, 'v2.2.', 'ended', 1 from json_each(?2)`,
    [accountId, JSON.stringify(EVENT_TYPES)],
  );
}
