import { expect, test } from 'vitest';
import { freshAccount, type Reply } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';
import { pullRows } from '../../support/payloads.ts';

const PATH = '/api/v3/webhook-payload';

const idsOf = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id);

test('a page of long payloads ends early, and the next one follows after its acknowledgment', async () => {
  const owner = await freshAccount();
  const stored = await pullRows(owner).store(20);
  await d1("update account_events set body = json_set(body, '$.name', ?) where account_id = ?", [
    'x'.repeat(1_000_000),
    owner.accountId,
  ]);
  const first = await owner.get(`${PATH}?limit=500`);
  expect(idsOf(first)).toEqual(stored.slice(0, 8));
  expect(first.body.responseMetaData).toEqual({ resultsTotal: 20, resultsThisPage: 8 });
  await owner.post(`${PATH}/acknowledge`, { upTo: stored[7] });
  expect(idsOf(await owner.get(`${PATH}?limit=500`))).toEqual(stored.slice(8, 16));
});
