import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply, send } from '../../support/api.ts';
import { createConfiguration } from '../../support/app-scans.ts';
import { d1 } from '../../support/control.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';
import { openLight } from './first-load.ts';

let account: Client;
let keeper: Visitor;
let reader: Visitor;
let base: string;
beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  keeper = await visitor(account, ['scan']);
  reader = await visitor(account, ['read', 'templates.edit', 'passes.edit', 'api_keys.manage']);
  base = consolePath(account, 'app-configurations');
});

const WHOLE: [string, string][] = [
  ['name', 'Main <entrance>'],
  ['place', 'Foyer'],
  ['scanMode', '1'],
  ['type', '1'],
  ['propertyId', ''],
  ['propertyName', 'Bags'],
  ['propertyType', 'double'],
  ['propertyId', ''],
  ['propertyName', ' '],
  ['propertyType', 'unicode'],
  ['propertyId', ''],
  ['propertyName', 'Coat'],
  ['propertyType', 'boolean'],
  ['switches', 'showStoredValue'],
  ['switches', 'preventNegativeStoredValueBalance'],
  ['ownColors', 'true'],
  ['backgroundColor', '#14213d'],
  ['textColor', '#ffffff'],
  ['timeToShowAutoSaveConfirmation', '7'],
];
/** Returns the form with some fields replaced by name. */
const withFields = (...fields: [string, string][]): [string, string][] => [
  ...WHOLE.filter(([name]) => !fields.some(([other]) => other === name)),
  ...fields,
];

const idIn = (reply: Reply) => reply.headers.get('Location')!.split('/').at(-1)!;
const read = async (id: string) => (await account.get(`/api/appconfiguration/${id}`)).body;

describe('a configuration', () => {
  test('is created with every field, shown, changed and deleted', async () => {
    const [one, two] = [await account.createTemplate({ name: 'Day' }), await account.createTemplate({ name: 'Night' })];
    const created = await keeper.post(base, [...WHOLE, ['templates', one], ['templates', two]]);
    expect(created.status).toBe(303);
    const id = idIn(created);
    const made = await read(id);
    expect(made).toMatchObject({
      name: 'Main <entrance>',
      place: 'Foyer',
      scanMode: 1,
      type: 1,
      passTemplateIds: [one, two],
      backgroundColor: '#14213d',
      textColor: '#ffffff',
      timeToShowAutoSaveConfirmation: 7,
      showStoredValue: true,
      incrementStoredValue: false,
      preventNegativeNumericValues: false,
      preventNegativeStoredValueBalance: true,
      additionalProperties: [
        { name: 'Bags', type: 'double' },
        { name: 'Coat', type: 'boolean' },
      ],
    });
    const html = await openLight(keeper, `${base}/${id}`);
    expect(html).toContain('Main &lt;entrance&gt;');
    expect(html).toMatch(/>Day<\/a>.*>Night<\/a>/s);
    expect(html).toContain('fill="#14213d"');
    expect(await openLight(keeper, base)).toContain('2 templates');

    const form = await openLight(keeper, `${base}/${id}/edit`);
    const [bags] = made.additionalProperties;
    expect(form).toContain(`value="${bags.id}"`);
    const changed = withFields(
      ['name', 'Side door'],
      ['propertyId', bags.id],
      ['propertyName', 'Luggage'],
      ['propertyType', 'double'],
      ['templates', one],
      ['scanMode', '0'],
    ).filter(([name]) => name !== 'ownColors');
    expect((await keeper.post(`${base}/${id}`, changed)).status).toBe(303);
    expect(await read(id)).toMatchObject({
      name: 'Side door',
      scanMode: 0,
      passTemplateId: one,
      passTemplateIds: null,
      passTemplateName: 'Day',
      backgroundColor: null,
      additionalProperties: [{ ...bags, name: 'Luggage' }],
    });

    expect((await keeper.get(`${base}/${id}/delete`)).body).toContain('You can’t undo this');
    expect((await keeper.post(`${base}/${id}/delete`)).status).toBe(303);
    expect((await account.get(`/api/appconfiguration/${id}`)).status).toBe(404);
  });

  test.each([
    [['name', ' '], 'Name: must not be empty'],
    [['timeToShowAutoSaveConfirmation', '61'], 'Result display time in seconds: must'],
    [['scanMode', '7'], 'Effect of a scan: is required and must be 0 or 1'],
    [['backgroundColor', 'red'], 'Background: must be a hexadecimal color'],
    [['templates', '01980b5e-4a30-7a52-9c11-0242ac120002'], 'Templates: contains a template that no longer exists'],
  ] as [[string, string], string][])('with the field %o is rejected, and the input is kept', async (field, message) => {
    const own = await freshAccount();
    const someone = await visitor(own, ['scan']);
    const path = consolePath(own, 'app-configurations');
    const refused = await someone.post(path, withFields(field));
    expect(refused.status).toBe(400);
    expect(refused.body).toContain(message);
    expect(refused.body).toContain('value="Foyer"');
    expect(refused.body).toContain('value="Bags"');
    const { configurationId } = await createConfiguration(own, { name: 'Kept' });
    expect((await someone.post(`${path}/${configurationId}`, withFields(field))).status).toBe(400);
    expect((await own.get('/api/appconfiguration')).body.map(({ name }: { name: string }) => name)).toEqual(['Kept']);
  });

  test('gets more rows for its questions without saving', async () => {
    const grown = await keeper.post(base, withFields(['moreRows', '1'], ['name', 'Not yet']));
    expect(grown.status).toBe(200);
    expect(String(grown.body).match(/name="propertyName"/g)).toHaveLength(4);
    expect((await keeper.get(base)).body).not.toContain('Not yet');
  });

  test('is listed in pages', async () => {
    const own = await freshAccount();
    const someone = await visitor(own, ['read']);
    const path = consolePath(own, 'app-configurations');
    expect(await openLight(someone, path)).toContain('No configurations yet');
    for (let i = 0; i < 51; i++) await createConfiguration(own, { name: `Door ${i};` });
    const first = await openLight(someone, path);
    expect(first).toContain('Door 49;');
    expect(first).not.toContain('Door 50;');
    const next = /href="([^"]*\?after=[^"]+)"/.exec(first)![1]!;
    expect(await openLight(someone, next)).toContain('Door 50;');
  });
});

describe('a link', () => {
  let id: string;
  beforeAll(async () => {
    id = (await createConfiguration(account, { name: 'North gate' })).configurationId;
  });

  const make = async (fields: Record<string, string> = {}) => {
    const made = await keeper.post(`${base}/${id}/links`, fields);
    expect(made.status).toBe(303);
    return made.headers.get('Location')!;
  };
  const addressIn = (html: string) => /<code>(http[^<]+\/scan\/[^<]+)<\/code>/.exec(html)![1]!;

  test('is shown as QR code with its PIN, opens the app, expires and ends', async () => {
    const path = await make({ validTo: '2999-05-15T02:00', canChangeConfig: 'true' });
    const html = await openLight(keeper, path);
    const address = addressIn(html);
    const [link] = (await read(id)).appConfigurationLinks;
    expect(link).toMatchObject({ branchLink: address, canChangeConfig: true, validTo: '2999-05-15 02:00:00' });
    expect(html).toContain(`<span class="pin">${link.unlockPin}</span>`);
    expect(html).toContain('src="data:image/svg+xml,');
    expect(html).toContain('All configurations of the account');
    expect((await send('GET', address as `http://${string}`)).status).toBe(200);

    const list = async () => (await keeper.get(`${base}/${id}`)).body as string;
    expect(await list()).toMatch(/>Valid<.*Not used yet/s);
    expect(await list()).not.toContain(address);
    await d1('update app_configuration_links set valid_to_at = 0, used_at = 5 where id = ?', [link.identifier]);
    expect(await list()).toMatch(/>Expired: requires its PIN<.*>Used</s);

    expect((await keeper.get(`${path}/end`)).body).toContain('stops working immediately');
    expect((await keeper.post(`${path}/end`)).status).toBe(303);
    expect((await send('GET', address as `http://${string}`)).status).toBe(404);
    expect((await keeper.get(path)).status).toBe(404);
  });

  test('opens without a PIN for 30 days by default', async () => {
    const before = Date.now();
    const linkId = (await make()).split('/').at(-1);
    const [row] = await d1<{ at: number }>('select valid_to_at as at from app_configuration_links where id = ?', [
      linkId,
    ]);
    expect(row!.at - before).toBeGreaterThanOrEqual(30 * 24 * 60 * 60_000);
  });

  test('with a date that does not exist is rejected', async () => {
    const refused = await keeper.post(`${base}/${id}/links`, { validTo: '2027-02-30T10:00', canChangeConfig: 'true' });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatch(
      /PIN not required until: is a date that does not exist.*value="2027-02-30T10:00".*checked/s,
    );
  });
});

test('members without the privilege see configurations, but no buttons or links', async () => {
  const { configurationId } = await createConfiguration(account, { name: 'For all to see' });
  const link = (await account.post(`/api/appconfiguration/${configurationId}/link`, {})).body;
  const own = `${base}/${configurationId}`;
  for (const path of [base, own]) {
    const html = await openLight(reader, path);
    expect(html).toContain('For all to see');
    if (path === base) expect(html).toMatch(/For all to see.*?data-label="Links">1</s);
    expect(html).not.toMatch(/app-configurations\/(new|[^"]*\/(edit|delete|links\/))/);
    expect(html).not.toContain(link.unlockPin);
  }
  const refused = await Promise.all([
    reader.get(`${base}/new`),
    reader.get(`${own}/edit`),
    reader.get(`${own}/delete`),
    reader.get(`${own}/links/${link.identifier}`),
    reader.post(base, WHOLE),
    reader.post(own, WHOLE),
    reader.post(`${own}/delete`),
    reader.post(`${own}/links`),
    reader.post(`${own}/links/${link.identifier}/end`),
  ]);
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
  expect(await read(configurationId)).toMatchObject({ name: 'For all to see', appConfigurationLinks: [link] });
});

test('configurations of other accounts are not found', async () => {
  const { configurationId } = await createConfiguration(account, { name: 'Ours' });
  const link = (await account.post(`/api/appconfiguration/${configurationId}/link`, {})).body;
  const stranger = await freshAccount();
  const other = await visitor(stranger, ['owner']);
  const foreign = `${consolePath(stranger, 'app-configurations')}/${configurationId}`;
  const replies = await Promise.all([
    other.get(foreign),
    other.get(`${foreign}/edit`),
    other.get(`${foreign}/links/${link.identifier}`),
    other.post(foreign, WHOLE),
    other.post(`${foreign}/delete`),
    other.post(`${foreign}/links`),
    other.post(`${foreign}/links/${link.identifier}/end`),
    other.get(`${base}/${configurationId}`),
  ]);
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404));
  expect((await read(configurationId)).appConfigurationLinks).toEqual([link]);
});

test('the audit log shows what was done', async () => {
  const own = await freshAccount();
  const owner = await visitor(own, ['owner']);
  const path = consolePath(own, 'app-configurations');
  const id = idIn(await owner.post(path, WHOLE));
  const link = (await owner.post(`${path}/${id}/links`)).headers.get('Location')!;
  await owner.post(`${link}/end`);
  await owner.post(`${path}/${id}`, WHOLE);
  await owner.post(`${path}/${id}/delete`);
  const rows = await d1<{ action: string }>(
    "select action from audit_entries where account_id = ? and action like 'app_configuration%' order by id",
    [own.accountId],
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'app_configuration.create',
    'app_configuration_link.create',
    'app_configuration_link.end',
    'app_configuration.change',
    'app_configuration.delete',
  ]);
});
