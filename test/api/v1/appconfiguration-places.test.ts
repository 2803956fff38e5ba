import { beforeAll, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { createConfiguration } from '../../support/app-scans.ts';
import { d1 } from '../../support/control.ts';

/* A list repeats the places of a template in each of its app configurations. */

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

const places = (from: number, count: number, chars = 5) =>
  Array.from({ length: count }, (_, i) => String(from + i).padEnd(chars, 'x'));

async function listed(id?: string) {
  const { body } = await client.get(id ? `/api/appconfiguration/${id}` : '/api/appconfiguration');
  return [body].flat().map(({ validValidationPlaces }) => validValidationPlaces?.length ?? null);
}

test('an app configuration shows the first 1,000 places of its templates', async () => {
  const passTemplateIds = [
    await client.createTemplate({ validValidationPlaces: places(10_000, 700) }),
    await client.createTemplate({ validValidationPlaces: places(10_500, 700) }),
  ];
  const created = await createConfiguration(client, { passTemplateIds });
  expect(created.validValidationPlaces).toEqual(places(10_000, 1_000));
  expect(await listed(created.configurationId)).toEqual([1_000]);
});

test('a list shows at most 5,000,000 characters of places, and a single one has its own', async () => {
  client = await freshAccount();
  const template = () => client.createTemplate({ validValidationPlaces: places(10_000, 490, 500) });
  const passTemplateId = await template();
  const { configurationId } = await createConfiguration(client, { passTemplateId });
  const others =
    'name, scan_mode, type, place, pass_template_id, additional_properties, time_to_show_auto_save_confirmation, ' +
    'show_stored_value, increment_stored_value, prevent_negative_numeric_values, ' +
    'prevent_negative_stored_value_balance, created_at';
  await d1(
    `with recursive numbers as (select 1 as n union all select n + 1 from numbers where n < 24)
      insert into app_configurations (id, account_id, ${others})
      select 'ffffffff-0000-7000-8000-' || substr('00000000000' || n, -12), account_id, ${others}
      from numbers, app_configurations where id = ?`,
    [configurationId],
  );
  const shown = await listed();
  expect(shown).toHaveLength(25);
  expect(shown.filter((count) => count === 490)).toHaveLength(20);
  expect(shown.slice(20)).toEqual([null, null, null, null, null]);
  expect(await listed('ffffffff-0000-7000-8000-000000000024')).toEqual([490]);
});
