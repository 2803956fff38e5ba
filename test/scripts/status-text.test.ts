import { expect, test } from 'vitest';
import { statusText } from '../../scripts/status-text.ts';
import { statusView } from '../../src/admin/service-commands.ts';
import { getServiceStatus } from '../../src/domain/monitoring/get-service-status.ts';
import { watchService } from '../../src/domain/monitoring/watch-service.ts';
import { openLocalDatabase } from '../domain/local-database.ts';

const NOW = Date.UTC(2026, 10, 23, 9);

test('the state of the service is readable, with the next step for an alert', async () => {
  const database = await openLocalDatabase();
  // The service is past its first minutes.
  await database.d1.prepare(`insert into accounts (id, name, created_at) values ('first', 'First', 0)`).run();
  const text = async () => statusText(statusView(await getServiceStatus(database.context(), NOW)));
  expect(await text()).toMatch(
    /^Alerting\. Last measured by the cron: never\.\n\n! The cron is not running .*\n {2}.*\n {2}Next step: /,
  );
  await watchService(database.context(), [], NOW - 60_000);
  const healthy = await text();
  expect(healthy).toMatch(
    /^Healthy\. Last measured by the cron: 2026-11-23T08:59:00\.000Z\.\n\nBacklog\n {2}Pushes to wallets: 0\n/,
  );
  expect(healthy).toMatch(/\nDatabase: [\d.]+ (KB|MB) of 10 GB, growth not known yet$/);
  await database.close();
});
