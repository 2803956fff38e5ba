import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';
import { sampleTemplate, type TemplateInput } from '../../support/samples.ts';
import { ZIP_TYPE } from '../../support/template-files.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

type PropertyType = NonNullable<TemplateInput['additionalProperties']>[number]['type'];

const BASE = '/api/v2/pass-template';
const describeTemplate = async (id: string) => (await client.get(`${BASE}/${id}/describe`)).body.data;
const propertiesOf = (passId: string) =>
  client.get(`/api/v3/pass/${passId}?formatKeyAdditionalProperties=name`).then(({ body }) => body.data);

/** Creates a template whose property has a default that earlier releases accepted. */
async function templateFromBefore(type: PropertyType, preset: string): Promise<string> {
  const id = await client.createTemplate({ additionalProperties: [{ name: 'Extra', type }] });
  await d1(
    "update template_versions set definition = json_set(definition, '$.additionalProperties[0].default', ?) where template_id = ?",
    [preset, id],
  );
  return id;
}

const WRONG: [type: PropertyType, preset: string, problem: string][] = [
  ['number', 'many', 'must be a number'],
  ['date', '24.12.2026', 'must look like 2026-12-24'],
  ['date', '2026-02-30', 'must look like 2026-12-24'],
  ['datetime', '2026-12-24', 'must look like 2026-12-24 09:10'],
  ['email', 'nobody', 'must be an e-mail address such as ada@example.com'],
  ['checkbox', 'yes', 'must be true or false'],
];

describe('a default of another type than its property', () => {
  test.each(WRONG)('is rejected for %s: %s, in every way to save a template', async (type, preset, problem) => {
    const property = { name: 'Extra', type, default: preset };
    const expected = [400, [`additionalProperties.0.default: ${problem}`]];
    const definition = sampleTemplate({ additionalProperties: [property] });
    const created = await client.post(BASE, definition);
    expect([created.status, created.body.errors]).toEqual(expected);
    const id = await client.createTemplate({ additionalProperties: [{ name: 'Extra', type }] });
    const replaced = await client.post(`${BASE}/${id}`, definition);
    expect([replaced.status, replaced.body.errors]).toEqual(expected);
    const [{ id: propertyId }] = (await describeTemplate(id)).additionalProperties;
    const patch = { additionalProperties: [{ id: propertyId, default: preset }] };
    const patched = await client.patch(`${BASE}/${id}`, patch);
    expect([patched.status, patched.body.errors]).toEqual(expected);
    const linted = await client.post(`${BASE}/lint`, definition);
    expect(linted.body.data[0]).toMatchObject({ path: 'additionalProperties.0.default', severity: 'error' });
    expect((await describeTemplate(id)).additionalProperties[0].default ?? null).toBeNull();
  });

  test('is rejected if only the type changes', async () => {
    const id = await client.createTemplate({ additionalProperties: [{ name: 'Extra', default: 'many' }] });
    const [{ id: propertyId }] = (await describeTemplate(id)).additionalProperties;
    const { status, body } = await client.patch(`${BASE}/${id}`, {
      additionalProperties: [{ id: propertyId, type: 'number' }],
    });
    expect([status, body.errors]).toEqual([400, ['additionalProperties.0.default: must be a number']]);
  });

  test('of an earlier release stays readable, and the template can be changed, replaced and copied', async () => {
    const id = await templateFromBefore('number', 'many');
    const before = await describeTemplate(id);
    expect(before.additionalProperties[0].default).toBe('many');
    expect((await client.patch(`${BASE}/${id}`, { logoText: 'New' })).status).toBe(200);
    const again = { ...(await describeTemplate(id)), logoText: 'Newer' };
    expect((await client.post(`${BASE}/${id}`, again)).status).toBe(200);
    const byName = again.additionalProperties.map(({ id: _, ...rest }: { id: string }) => rest);
    expect((await client.post(`${BASE}/${id}`, { ...again, additionalProperties: byName })).status).toBe(200);
    expect((await client.post(`/api/pass-template/copy/${id}`, { name: 'Copy' })).status).toBe(201);
    expect((await describeTemplate(id)).additionalProperties).toEqual(before.additionalProperties);
  });

  test('of an earlier release is left out of an imported export, with a warning', async () => {
    const archive = await client.get(`${BASE}/${await templateFromBefore('number', 'many')}/export`);
    const { status, body } = await client.post(`${BASE}/import`, new Uint8Array(archive.body), ZIP_TYPE);
    expect([status, body.data.warnings]).toEqual([201, ['additionalProperties.0.default: must be a number; left out']]);
    const [property] = (await describeTemplate(body.data.identifier)).additionalProperties;
    expect([property.name, property.default ?? null]).toEqual(['Extra', null]);
  });

  test('of an earlier release still gives passes the values that it gave', async () => {
    const [many, yes] = [await templateFromBefore('number', 'many'), await templateFromBefore('checkbox', 'yes')];
    for (const [id, value] of [
      [many, 'many'],
      [yes, false],
    ] as const) {
      const { identifier } = await client.createPass(id);
      expect(await propertiesOf(identifier)).toMatchObject({ Extra: value });
    }
  });
});

test('defaults of the right type reach passes in the form in which a sent value is stored', async () => {
  const id = await client.createTemplate({
    additionalProperties: [
      { name: 'Count', type: 'number', default: 5 },
      { name: 'Weight', type: 'number', default: ' 1.5 ' },
      { name: 'Day', type: 'date', default: '2026-12-24' },
      { name: 'Start', type: 'datetime', default: '2026-12-24 09:10' },
      { name: 'Mail', type: 'email', default: 'ada@example.com' },
      { name: 'On', type: 'checkbox', default: '1' },
      { name: 'Off', type: 'checkbox', default: false },
      { name: 'None', type: 'number', default: '' },
    ],
  });
  const { identifier } = await client.createPass(id);
  const { None, ...shown } = await propertiesOf(identifier);
  expect(shown).toMatchObject({
    ...{ Count: '5', Weight: '1.5', Day: '2026-12-24', Start: '2026-12-24 09:10', Mail: 'ada@example.com' },
    ...{ On: true, Off: false },
  });
  expect(None ?? null).toBeNull();
});
