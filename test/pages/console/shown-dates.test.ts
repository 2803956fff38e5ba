import { beforeAll, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { createConfiguration } from '../../support/app-scans.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

let account: Client;
let owner: Visitor;
beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  owner = await visitor(account, ['owner']);
});

const shown = async (...path: string[]) => (await owner.get(consolePath(account, ...path))).body as string;

test('a scanner link without an end says so, and one with an end shows it', async () => {
  const { configurationId } = await createConfiguration(account);
  for (const [validTo, text] of [
    ['2999-12-31 23:59', 'No end'],
    ['2599-12-31 23:59', '31 Dec 2599, 23:59'],
  ] as const) {
    const { body } = await account.post(`/api/appconfiguration/${configurationId}/link`, { validTo });
    const [link] = body.appConfigurationLinks ?? [body];
    expect(link.validTo).toBe(`${validTo}:00`);
    const page = await shown('app-configurations', configurationId, 'links', link.identifier);
    expect(page).toMatch(new RegExp(`PIN not required until</dt><dd>(<time[^>]*>)?${text}<`));
    expect(await shown('app-configurations', configurationId)).toContain(text);
  }
});

test('the values of a pass show dates in words, as they were entered', async () => {
  const templateId = await account.createTemplate({
    additionalProperties: [
      { name: 'Birthday', type: 'date' },
      { name: 'Doors', type: 'datetime' },
    ],
  });
  const created = { Birthday: '2001-02-03', Doors: '2027-05-06 19:30', expirationDate: '2028-01-31 20:15' };
  const { identifier } = await account.createPass(templateId, created);
  const page = await shown('passes', identifier);
  const textBeside = (label: string) =>
    new RegExp(`<dt>${label}</dt><dd>(.*?)</dd>`).exec(page)?.[1]?.replaceAll(/<[^>]*>/g, '');
  expect(['Birthday', 'Doors', 'Expires'].map(textBeside)).toEqual([
    '3 Feb 2001',
    '6 May 2027, 19:30',
    '31 Jan 2028, 20:15',
  ]);
  expect(await shown(`passes?template=${templateId}`)).toMatch(/>3 Feb 2001<.*>6 May 2027, 19:30</s);
});
