import { describe, expect, test } from 'vitest';
import { admin, freshAccount, send } from '../../support/api.ts';
import { costOf, d1, runScheduledEverywhere } from '../../support/control.ts';
import { subscribed } from '../../support/webhooks.ts';
import { visitor } from './browser-session.ts';

const PATH = '/console/service';

describe('the page of the service', () => {
  test('is not found for anyone but operators', async () => {
    const account = await freshAccount();
    const owner = await visitor(account, ['owner']);
    const [mine, unknown] = [await owner.get(PATH), await owner.get('/console/none-such')];
    expect(mine.status).toBe(404);
    expect(withoutNonces(mine.body)).toBe(withoutNonces(unknown.body));
    expect((await owner.get('/console/you')).body).not.toContain(PATH);
    const nobody = await send('GET', PATH);
    expect([nobody.status, nobody.headers.get('Location')]).toEqual([303, '/console/sign-in']);
  });

  test('shows an operator its state, without secrets', async () => {
    const account = await freshAccount();
    const operator = await visitor(account, ['read']);
    await admin('user operator', { email: operator.email, on: true });
    const { identifier } = await subscribed(account, 'https://shop.example.com/pass-word?token=a-secret');
    await d1("update webhook_subscriptions set failing_since_at = 1, last_outcome = 'timeout' where id = ?", [
      identifier,
    ]);
    await runScheduledEverywhere();
    const reply = await operator.get(PATH);
    expect(reply.status).toBe(200);
    for (const shown of ['Webhook lag', 'Backlog', 'Pushes to wallets', 'https://shop.example.com', 'Last measured']) {
      expect(reply.body).toContain(shown);
    }
    for (const secret of ['a-secret', 'pass-word', account.apiKey]) expect(reply.body).not.toContain(secret);
    // The service's databases are read first, then each of them in parallel.
    const databases = await admin<{ name: string }[]>('database list', {});
    for (const { name } of databases) expect(reply.body).toContain(`<code>${name}</code>`);
    const perDatabase = 1 + databases.length;
    expect(await costOf(reply)).toMatchObject({ roundTrips: 3 + perDatabase + operator.apart, rowsWritten: 0 });
    expect((await operator.get('/console/you')).body).toContain(`href="${PATH}"`);
  });

  test('is not found from the next request after losing the role', async () => {
    const operator = await visitor(await freshAccount(), ['read']);
    await admin('user operator', { email: operator.email, on: true });
    expect((await operator.get(PATH)).status).toBe(200);
    await admin('user operator', { email: operator.email, off: true });
    expect((await operator.get(PATH)).status).toBe(404);
  });
});

test('an operator stays one even if the user’s last account is deleted', async () => {
  const account = await freshAccount();
  const operator = await visitor(account, ['owner']);
  await admin('user operator', { email: operator.email, on: true });
  await admin('account delete', { id: account.accountId, confirm: 'Test' });
  for (let i = 0; i < 3; i++) await runScheduledEverywhere();
  expect((await operator.get(PATH)).status).toBe(200);
});

test('making somebody an operator is logged in that person’s accounts', async () => {
  const account = await freshAccount();
  const { email } = await visitor(account, ['read']);
  for (const flag of ['on', 'on', 'off']) await admin('user operator', { email, [flag]: true });
  const entries = await d1(
    "select action, actor_type, target from audit_entries where account_id = ? and action like 'operator.%' order by created_at, id",
    [account.accountId],
  );
  expect(entries).toEqual([
    { action: 'operator.add', actor_type: 'operator', target: email },
    { action: 'operator.remove', actor_type: 'operator', target: email },
  ]);
});

function withoutNonces(body: string): string {
  return body.replaceAll(/nonce="[^"]+"/g, '');
}
