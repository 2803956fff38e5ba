import { EVENT_TYPES } from '../../src/domain/events/catalog.ts';

/**
 * Lets the bodies of an account's events keep their values, which they do if a webhook may ask for them: one that its
 * receiver has ended, and that gets nothing. Its secret names the current key, so rotations pass it by.
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
