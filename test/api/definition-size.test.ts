import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { d1 } from '../support/control.ts';

/* Searches read many definitions at a time, and a row of D1 holds 2 MB. */

const LIMIT = 'the definition must have at most 250000 characters, without its e-mails';

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

const patch = async (id: string, body: object) => {
  const reply = await client.patch(`/api/v2/pass-template/${id}`, body);
  return [reply.status, reply.body.errors];
};

const choices = (name: string, count: number, text: string) => ({
  name,
  type: 'select' as const,
  options: Array.from({ length: count }, (_, i) => text + i),
});

describe('the size of a definition', () => {
  test('is limited, although a change adds to what is stored', async () => {
    const id = await client.createTemplate({ additionalProperties: [choices('Size', 100, 'x'.repeat(1_000))] });
    const more = choices('Color', 150, 'x'.repeat(1_000));
    expect(await patch(id, { additionalProperties: [more] })).toEqual([400, [`additionalProperties: ${LIMIT}`]]);
    const copied = await client.post(`/api/pass-template/copy/${id}`, { name: 'Copy' });
    expect(copied.status).toBe(201);
    expect(await patch(id, { name: 'Renamed' })).toEqual([200, []]);
  });

  test('that was too large before may stay or shrink', async () => {
    const id = await client.createTemplate();
    const places = Array.from({ length: 600 }, (_, i) => String(i).padEnd(490, 'x'));
    await d1(
      `update template_versions set version = 2, definition = json_set(definition, '$.validValidationPlaces', json(?))
        where template_id = ?`,
      [JSON.stringify(places), id],
    );
    await d1('update templates set version = 2, published_version = 2 where id = ?', [id]);
    expect(await patch(id, { description: 'Card' })).toEqual([200, []]);
    const longer = { validValidationPlaces: [...places, 'Hall'] };
    expect(await patch(id, longer)).toEqual([400, [`validValidationPlaces: ${LIMIT}`]]);
    expect(await patch(id, { validValidationPlaces: places.slice(1) })).toEqual([200, []]);
  });

  test('is also limited in bytes, with its e-mails, because it is stored in one row', async () => {
    const id = await client.createTemplate();
    const mail = { subject: 'S', emailTemplate: 'я'.repeat(495_000) };
    const sent = (name: string) => patch(id, { sendoutOptions: { [name]: mail } });
    expect(await sent('adHoc')).toEqual([200, []]);
    const additionalProperties = [choices('Size', 100, 'x'.repeat(1_000))];
    expect(await patch(id, { additionalProperties })).toEqual([200, []]);
    const limit = 'sendoutOptions: the definition must have at most 1999000 bytes, with its e-mails';
    expect(await sent('passCreationNotification')).toEqual([400, [limit]]);
  });
});
