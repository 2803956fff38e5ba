import { expect, test } from 'vitest';
import { freshAccount } from '../support/api.ts';
import { sampleTemplate } from '../support/samples.ts';

test.each([
  { periodSeconds: 14, digits: 6 },
  { periodSeconds: 121, digits: 6 },
  { periodSeconds: 30, digits: 5 },
  { periodSeconds: 30, digits: 9 },
  { periodSeconds: 30, digits: 6, apple: 'moving' },
  { digits: 6 },
])('rotating codes are part of a definition; %j is rejected', async (rotating) => {
  const client = await freshAccount();
  const define = (barcode: object) =>
    client.post('/api/v2/pass-template', { ...sampleTemplate(), barcode: { format: 'qr', ...barcode } });
  const refused = await define({ rotating });
  expect([refused.status, JSON.stringify(refused.body.errors)]).toEqual([
    400,
    expect.stringContaining('barcode.rotating'),
  ]);
  expect((await define({ rotating: { periodSeconds: 30, digits: 6 }, format: 'aztec' })).status).toBe(400);
  const { body } = await define({ rotating: { periodSeconds: 15, digits: 8 } });
  const { data } = (await client.get(`/api/v2/pass-template/${body.data.identifier}/describe`)).body;
  expect(data.barcode.rotating).toEqual({ periodSeconds: 15, digits: 8, apple: 'none' });
});
