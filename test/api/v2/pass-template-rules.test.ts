import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';

/* Requirements of an edit for a template's existing passes. */

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

const patch = (id: string, body: object) => client.patch(`/api/v2/pass-template/${id}`, body);
const describeTemplate = async (id: string) => (await client.get(`/api/v2/pass-template/${id}/describe`)).body.data;
const versionsOf = (id: string) => d1('select version from template_versions where template_id = ?', [id]);
const claimsOf = (id: string) =>
  d1<{ value: string; pass_id: string }>(
    'select value, pass_id from unique_property_values where template_id = ? order by value',
    [id],
  );

interface Property {
  id: string;
  name: string;
}

const propertyId = async (id: string, name: string): Promise<string> =>
  (await describeTemplate(id)).additionalProperties.find((property: Property) => property.name === name).id;

describe('the kind of pass', () => {
  test('can change only while there are no passes', async () => {
    const id = await client.createTemplate();
    expect((await patch(id, { type: 'coupon' })).status).toBe(200);
    await client.createPass(id);
    for (const body of [{ type: 'generic' }, { type: 'boardingPass', transitType: 'PKTransitTypeBus' }]) {
      const reply = await patch(id, body);
      expect([reply.status, reply.body.errors[0]]).toEqual([400, expect.stringContaining('type: ')]);
    }
  });

  test('can change a ticket’s form, and a boarding pass’s transit unless it is a flight', async () => {
    const ticket = await client.createTemplate({ type: 'eventTicket' });
    await client.createPass(ticket);
    expect((await patch(ticket, { type: 'eventTicketBackground' })).status).toBe(200);
    const bus = await client.createTemplate({ type: 'boardingPass', transitType: 'PKTransitTypeBus' });
    await client.createPass(bus);
    expect((await patch(bus, { transitType: 'PKTransitTypeTrain' })).status).toBe(200);
    const reply = await patch(bus, { transitType: 'PKTransitTypeAir' });
    expect([reply.status, reply.body.errors[0]]).toEqual([400, expect.stringContaining('transitType: ')]);
  });
});

describe('a property that becomes unique', () => {
  const NUMBER = { name: 'Number' };

  test('claims the values of all passes at once, and releases them again', async () => {
    const id = await client.createTemplate({ additionalProperties: [NUMBER, { name: 'Consent', type: 'checkbox' }] });
    const passes = [];
    for (const number of ['1', '2'])
      passes.push(await client.createPass(id, { Number: number, Consent: number === '1' }));
    await client.createPass(id);
    const [number, consent] = [await propertyId(id, 'Number'), await propertyId(id, 'Consent')];
    const reply = await patch(id, {
      additionalProperties: [
        { id: number, unique: true },
        { id: consent, unique: true },
      ],
    });
    expect(reply.status).toBe(200);
    expect((await claimsOf(id)).map(({ value }) => value)).toEqual(['1', '2', 'false', 'true']);
    const taken = await client.post('/api/v3/pass', { data: { templateId: id, Number: '2' } });
    expect([taken.status, taken.body.errors]).toEqual([400, ['data.Number: the value must be unique']]);
    // An existing pass still shows the definition without the unique property, but the newest rule applies.
    const [first, second] = passes.map(({ identifier }) => identifier);
    const same = await client.patch(`/api/v3/pass/${first}`, { data: { Number: '2' } });
    expect([same.status, same.body.errors]).toEqual([400, ['data.Number: the value must be unique']]);
    expect((await client.patch(`/api/v3/pass/${second}`, { data: { Number: '3' } })).status).toBe(200);
    expect((await client.patch(`/api/v3/pass/${first}`, { data: { Number: '2' } })).status).toBe(200);
    expect((await claimsOf(id)).map(({ value }) => value)).toEqual(['2', '3', 'false', 'true']);
    await patch(id, { additionalProperties: [{ id: number, unique: false }] });
    expect((await claimsOf(id)).map(({ value }) => value)).toEqual(['false', 'true']);
    await client.createPass(id, { Number: '2' });
  });

  test('is rejected by name while two passes have the same value', async () => {
    const id = await client.createTemplate({ additionalProperties: [NUMBER, { name: 'Other' }] });
    for (const other of ['a', 'b']) await client.createPass(id, { Number: 'same', Other: other });
    const [number, other] = [await propertyId(id, 'Number'), await propertyId(id, 'Other')];
    const reply = await patch(id, {
      name: 'Not now',
      additionalProperties: [
        { id: number, unique: true },
        { id: other, unique: true },
      ],
    });
    expect([reply.status, reply.body.errors]).toEqual([400, ['Number: the value must be unique']]);
    expect((await describeTemplate(id)).name).toBe('Membership');
    expect([await claimsOf(id), await versionsOf(id)]).toEqual([[], [{ version: 1 }]]);
    expect((await patch(id, { additionalProperties: [{ id: other, unique: true }] })).status).toBe(200);
  });

  test('applies to passes created meanwhile', async () => {
    const id = await client.createTemplate({ additionalProperties: [NUMBER] });
    const number = await propertyId(id, 'Number');
    const create = (value: number) =>
      client.post('/api/v3/pass', { data: { templateId: id, Number: `${value % 10}` } });
    const [changed] = await Promise.all([
      patch(id, { additionalProperties: [{ id: number, unique: true }] }),
      ...Array.from({ length: 20 }, (_, i) => create(i)),
    ]);
    const values = await d1<{ value: string }>(
      'select held.value from passes, json_each(properties) as held where template_id = ?',
      [id],
    );
    const distinct = new Set(values.map(({ value }) => value)).size;
    if (changed.status === 200) {
      expect(values).toHaveLength(distinct);
      expect(await claimsOf(id)).toHaveLength(distinct);
    } else {
      expect([changed.status, changed.body.errors]).toEqual([400, ['Number: the value must be unique']]);
      expect(values.length).toBeGreaterThan(distinct);
    }
  });
});

test('maxPasses below the current count only rejects new passes', async () => {
  const id = await client.createTemplate();
  const passes = [await client.createPass(id), await client.createPass(id)];
  expect((await patch(id, { maxPasses: 1 })).status).toBe(200);
  const refused = await client.post(`/api/pass?passtemplate=${id}`, {});
  expect([refused.status, refused.body.ErrorMessage]).toEqual([400, expect.stringContaining('maximum')]);
  for (const { identifier } of passes) {
    expect((await client.patch(`/api/v3/pass/${identifier}`, { data: { Level: 'Gold' } })).status).toBe(200);
  }
});
