import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { d1, logged } from '../support/control.ts';
import { sampleTemplate } from '../support/samples.ts';

/* No card, page or pass file exceeds 65,536 characters, whatever fills its placeholders. */

const LONG = 'a'.repeat(10_000);
const fields = (copies: number) => ({
  backFields: [{ key: 'terms', type: 'text' as const, label: 'Terms', value: '{t}'.repeat(copies) }],
});

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

const template = (copies: number) =>
  client.createTemplate({ additionalProperties: [{ name: 't', type: 'text' }], fields: fields(copies) });

describe('texts of a card', () => {
  test('are rejected on write, naming the value, and nothing is saved', async () => {
    const templateId = await template(7);
    const created = await client.post('/api/v3/pass', { data: { templateId, t: LONG } });
    expect([created.status, created.body.errors]).toEqual([
      400,
      ['data.t: the texts of the pass, with their placeholders filled, must have at most 65536 characters together'],
    ]);
    expect((await client.get(`/api/pass/list/${templateId}`)).body.total).toBe(0);
    const { identifier } = await client.createPass(templateId, { t: 'a'.repeat(9_000) });
    const changed = await client.post(`/api/pass/${identifier}`, { t: LONG });
    expect([changed.status, changed.body.ErrorMessage]).toEqual([400, expect.stringMatching(/^t: the texts/)]);
    const places = Array.from({ length: 10 }, () => ({ latitude: 1, longitude: 2, relevantText: LONG }));
    expect((await client.post(`/api/pass/${identifier}`, { locations: places })).status).toBe(400);
    expect((await client.get(`/api/v3/pass/${identifier}`)).body.data.locations).toEqual([]);
  });

  test('that were stored before are cut and logged; the pass can still be voided and shortened', async () => {
    const templateId = await template(6);
    const { identifier, linkToPassPage } = await client.createPass(templateId, { t: LONG });
    const many = JSON.stringify('{t}'.repeat(3_333));
    await d1(
      `update template_versions set definition = json_set(definition, '$.fields.backFields[0].value', json(?)), version = 2
        where template_id = ?`,
      [many, templateId],
    );
    await d1('update templates set version = 2, published_version = 2 where id = ?', [templateId]);
    const page = await client.get(linkToPassPage as `https://${string}`);
    expect(page.status).toBe(200);
    expect(page.body.length).toBeLessThan(200_000);
    await logged({ event: 'card-cut', pass: identifier });
    expect((await client.put(`/api/pass/${identifier}`, { voided: true })).status).toBe(204);
    expect((await client.post(`/api/pass/${identifier}`, { t: 'short' })).status).toBe(200);
  });

  test('are limited in each language, because a pass file has all of them in each', async () => {
    const refusal = async (translations: object) => {
      const reply = await client.post('/api/v2/pass-template', sampleTemplate({ translations } as object));
      return [reply.status, reply.body.errors.join()];
    };
    const languages = (count: number) =>
      Array.from({ length: count }, (_, i) => [`de-x${String(i).padStart(7, '0')}`, { A: 'B' }]);
    expect(await refusal(Object.fromEntries(languages(61)))).toEqual([
      400,
      'translations: must have at most 60 languages',
    ]);
    const texts = Object.fromEntries(['a', 'b', 'c'].map((text) => [text.repeat(10_000), 'B']));
    expect(await refusal({ fr: texts, ...Object.fromEntries(languages(59)) })).toEqual([
      400,
      'translations: the translated texts must have at most 500000 characters, counted in each language',
    ]);
    expect(await refusal(Object.fromEntries(languages(60)))).toEqual([201, '']);
  });

  test('of a template alone are limited, too', async () => {
    const value = 'x'.repeat(9_000);
    const backFields = Array.from({ length: 8 }, (_, i) => ({ key: `f${i}`, type: 'text' as const, label: '', value }));
    const definition = { name: 'n', description: 'd', organizationName: 'o', type: 'generic', fields: { backFields } };
    const refused = await client.post('/api/v2/pass-template', definition);
    expect([refused.status, refused.body.errors.join()]).toEqual([
      400,
      expect.stringContaining('at most 65536 characters'),
    ]);
  });
});
