import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, clientOf, freshAccount } from '../../support/api.ts';
import { costOf, d1 } from '../../support/control.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
});

const CUSTOMER = { company_name: 'Harbour Theatre', last_name: 'Hopper' };
const FULL = {
  ...CUSTOMER,
  email: 'office@harbour-theatre.example',
  first_name: 'Grace',
  address_street1: 'Quay 7',
  address_street2: 'Stage door',
  zip_code: '20457',
  city: 'Hamburg',
  country: 'Germany',
  vat_id: 'DE123456789',
  maximum_number_of_active_passes: '5000',
  system_language: 'de',
  logoUrl: 'https://images.example.com/logo.png',
  iconUrl: 'https://images.example.com/icon.png',
};

const NO_COUNT = 'must be an integer, 0 or more';

const maximumOf = async (id: string) => {
  const quotas = await d1<{ max: number }>(
    "select max from account_quotas where account_id = ? and quota = 'activePasses'",
    [id],
  );
  return quotas[0]?.max ?? null;
};
const accountOf = async (id: string) => (await d1('select * from accounts where id = ?', [id]))[0];

describe('create a sub-customer', () => {
  test('returns identifier, token and price; the token works at once', async () => {
    const reply = await client.post('/api/customer', CUSTOMER);
    expect([reply.status, reply.body]).toEqual([
      201,
      {
        customer_identifier: expect.stringMatching(/^[0-9a-f-]{36}$/),
        apiToken: expect.stringMatching(/^pk_[A-Za-z0-9]{16}_[A-Za-z0-9_-]{43}$/),
        pricePerMonth: 0,
      },
    ]);
    const cost = await costOf(reply);
    expect(cost.roundTrips).toBeLessThanOrEqual(2);
    const sub = clientOf(reply.body.customer_identifier, reply.body.apiToken);
    const template = await sub.createTemplate();
    expect((await sub.get('/api/pass-template')).body).toHaveLength(1);
    expect((await client.get(`/api/pass-template/${template}?integrationStyle=true`)).status).toBe(404);
  });

  test('stores the given values, under the caller’s account', async () => {
    const { customer_identifier: id } = (await client.post('/api/customer', FULL)).body;
    expect(await accountOf(id)).toMatchObject({
      name: 'Harbour Theatre',
      parent_account_id: client.accountId,
      language: 'de',
      timezone: 'UTC',
      logo_url: FULL.logoUrl,
      icon_url: FULL.iconUrl,
    });
    expect(await maximumOf(id)).toBe(5_000);
    const [row] = await d1<{ contact: string }>('select contact from account_contacts where account_id = ?', [id]);
    expect(JSON.parse(row!.contact)).toEqual({
      email: FULL.email,
      firstName: 'Grace',
      lastName: 'Hopper',
      street1: 'Quay 7',
      street2: 'Stage door',
      zipCode: '20457',
      city: 'Hamburg',
      country: 'Germany',
      vatId: 'DE123456789',
    });
  });

  test('treats absent, null and empty optional fields as not given', async () => {
    const blank = { email: '', city: null, maximum_number_of_active_passes: '', system_language: null, logoUrl: '' };
    const { customer_identifier: id } = (await client.post('/api/customer', { ...CUSTOMER, ...blank })).body;
    expect(await accountOf(id)).toMatchObject({ language: 'en', logo_url: null });
    expect(await maximumOf(id)).toBe(null);
  });

  test('accepts numbers as texts', async () => {
    const { customer_identifier: id } = (await client.post('/api/customer', { ...CUSTOMER, zip_code: 12345 })).body;
    const [row] = await d1<{ contact: string }>('select contact from account_contacts where account_id = ?', [id]);
    expect(JSON.parse(row!.contact)).toMatchObject({ zipCode: '12345' });
  });

  test.each([0, 12, '12', ' 12 '])('accepts %o as maximum_number_of_active_passes', async (maximum) => {
    const reply = await client.post('/api/customer', { ...CUSTOMER, maximum_number_of_active_passes: maximum });
    expect(reply.status).toBe(201);
    expect(await maximumOf(reply.body.customer_identifier)).toBe(Number(maximum));
  });

  test.each([
    ['no company name', { last_name: 'x' }, 'company_name: is required'],
    ['an empty company name', { ...CUSTOMER, company_name: ' ' }, 'company_name: must not be empty'],
    ['a company name that is no text', { ...CUSTOMER, company_name: {} }, 'company_name: '],
    ['no last name', { company_name: 'x' }, 'last_name: is required'],
    ['an empty last name', { ...CUSTOMER, last_name: '' }, 'last_name: must not be empty'],
    ['an address that is no e-mail address', { ...CUSTOMER, email: 'office' }, 'email: must be an e-mail address'],
    ['half a pass', { ...CUSTOMER, maximum_number_of_active_passes: 1.5 }, 'maximum_number_of_active_passes: '],
    ['less than no pass', { ...CUSTOMER, maximum_number_of_active_passes: '-1' }, 'maximum_number_of_active_passes: '],
    [
      'a number in words',
      { ...CUSTOMER, maximum_number_of_active_passes: 'ten' },
      `maximum_number_of_active_passes: ${NO_COUNT}`,
    ],
    [
      'a fraction',
      { ...CUSTOMER, maximum_number_of_active_passes: '1.5' },
      `maximum_number_of_active_passes: ${NO_COUNT}`,
    ],
    ['another language', { ...CUSTOMER, system_language: 'fr' }, 'system_language: must be "de" or "en"'],
    ['a logo that is no address', { ...CUSTOMER, logoUrl: 'logo.png' }, 'logoUrl: '],
    ['an icon behind another protocol', { ...CUSTOMER, iconUrl: 'ftp://example.com/i.png' }, 'iconUrl: '],
    ['a city that is no text', { ...CUSTOMER, city: ['Hamburg'] }, 'city: '],
  ])('rejects %s, names the field and creates nothing', async (_, body, message) => {
    const fresh = await freshAccount();
    const reply = await fresh.post('/api/customer', body);
    expect(reply.status).toBe(400);
    expect(reply.body.ErrorMessage).toContain(message);
    expect(await d1('select 1 from accounts where parent_account_id = ?', [fresh.accountId])).toEqual([]);
  });
});
