import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { d1 } from '../support/control.ts';
import { ended } from '../support/processes.ts';

/* A list reads 100 passes at a time, so each has a limit. */

const LIMIT = 'the values of a pass must have at most 65536 characters together';
const LONG = 'я'.repeat(10_000);
const names = Array.from({ length: 7 }, (_, i) => `Text ${i}`);
const values = (count: number) => Object.fromEntries(names.slice(0, count).map((name) => [name, LONG]));

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate({
    additionalProperties: names.map((name) => ({ name, type: 'textarea' as const })),
    validValidationPlaces: Array.from({ length: 140 }, (_, i) => String(i).padEnd(500, 'x')),
  });
});

const errorsOf = ({ status, body }: { status: number; body: { errors: string[] } }) => [status, body.errors];

describe('the values of a pass', () => {
  test('have at most 65,536 characters together when it is created, also in bulk', async () => {
    const sent = { templateId, ...values(7) };
    expect(errorsOf(await client.post('/api/v3/pass', { data: sent }))).toEqual([400, [`data.Text 0: ${LIMIT}`]]);
    const started = await client.post('/api/v3/pass/bulk/create', {
      templateId,
      passes: [values(7), values(6)],
    });
    expect(JSON.stringify(await ended(client, started))).toContain(`Text 0: ${LIMIT}`);
    expect((await client.get(`/api/pass/list/${templateId}`)).body.total).toBe(1);
  });

  test('keep to the limit in changes, with the places and locations of the pass', async () => {
    const { identifier } = await client.createPass(templateId, values(6));
    const change = async (data: object) => errorsOf(await client.patch(`/api/v3/pass/${identifier}`, { data }));
    expect(await change({ 'Text 6': LONG })).toEqual([400, [`data.Text 0: ${LIMIT}`]]);
    const places = Array.from({ length: 140 }, (_, i) => String(i).padEnd(500, 'x'));
    expect(await change({ eligibleValidationPlaces: places })).toEqual([
      400,
      [`data.eligibleValidationPlaces: ${LIMIT}`],
    ]);
    expect((await change({ 'Text 0': '', 'Text 6': LONG }))[0]).toBe(200);
  });

  test('that were stored before may stay or become shorter, but not longer', async () => {
    const { identifier } = await client.createPass(templateId, values(6));
    await d1('update passes set properties = replace(properties, ?, ?) where id = ?', [
      LONG,
      LONG.repeat(2),
      identifier,
    ]);
    const change = async (data: object) => (await client.patch(`/api/v3/pass/${identifier}`, { data })).status;
    expect(await change({ userProvidedId: 'new' })).toBe(200);
    expect(await change({ 'Text 6': LONG })).toBe(400);
    expect(await change({ 'Text 5': 'short' })).toBe(200);
  });
});
