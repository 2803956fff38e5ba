import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply } from '../support/api.ts';
import { d1 } from '../support/control.ts';
import { type OutsideServer, openOutsideServer } from '../support/outside-server.ts';
import { randomRuns } from '../support/random-runs.ts';
import { SAMPLE_FLIGHT, type TemplateInput } from '../support/samples.ts';

/* Writes accept what reads return: sending back a pass leaves it unchanged. */

const IMAGE = readFileSync('scripts/demo/images/lindhof-icon.png');
const PLACES = ['Gate', 'Foyer', '7'];

/** Every style of pass, every kind of property, and every option for a pass's own fields. */
const TYPES: Partial<TemplateInput>[] = [
  { type: 'coupon' },
  { type: 'storeCard' },
  { type: 'generic' },
  { type: 'eventTicket' },
  { type: 'eventTicketBackground' },
  { type: 'boardingPass', transitType: 'PKTransitTypeTrain' },
  { type: 'boardingPass', transitType: 'PKTransitTypeAir' },
];
const SHARED: Partial<TemplateInput> = {
  additionalProperties: [
    { name: 'Text', type: 'text', default: 'Basic' },
    { name: 'Long text', type: 'textarea' },
    { name: 'Mail', type: 'email' },
    { name: 'Number', type: 'number' },
    { name: 'Day', type: 'date' },
    { name: 'Moment', type: 'datetime' },
    { name: 'Paid', type: 'checkbox', default: 'true' },
    { name: 'Class', type: 'select', options: ['First', 'Second'], required: true },
    { name: 'Side', type: 'radiobutton', options: ['Aisle', 'Window'] },
    // Names that reads use for other values.
    { name: 'thumbnail', type: 'text' },
    { name: 'createdOn', type: 'text' },
    { name: 'voided', type: 'text' },
  ],
  images: { perPassImages: { thumbnail: true, background: true, logo: true } },
  translationsEnabled: true,
  relevantDateDifferentForEachPass: true,
  expiration: { expirationDateDifferentForEachPass: true },
  validValidationPlaces: PLACES,
  groupingIdentifierEnabled: true,
  downloadPinEnabled: true,
};

let client: Client;
let outside: OutsideServer;
let templates: { id: string; isAir: boolean }[];

/** Switches to a new account: the limit is 600 requests per minute, and the random passes need nearly as many. */
async function enter(): Promise<void> {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
  templates = await Promise.all(
    TYPES.map(async (type) => ({
      id: await client.createTemplate({ ...SHARED, ...type }),
      isAir: type.transitType === 'PKTransitTypeAir',
    })),
  );
}

beforeAll(async () => {
  outside = await openOutsideServer(() => ({ body: IMAGE }));
  await enter();
});
afterAll(() => outside.close());

const text = fc.oneof(fc.constantFrom('Zoë & "Co" <b>', ' x ', '0', 'ß–€'), fc.string({ minLength: 1, maxLength: 12 }));
const wellFormed = text.map((value) => value.toWellFormed());
// Includes the hour that occurs twice and the one that is skipped.
const moment = fc.constantFrom(
  '2027-10-31 02:30',
  '2027-03-28 02:30',
  '2027-07-01 00:00:59',
  '2028-02-29T23:59',
  '1999-12-31 10:00',
);
const color = fc.constantFrom('#1A2B3C', 'abc', '#00ff00');
const image = fc.constant(0).map(() => `${outside.origin}/a.png`);

const FIELDS: Record<string, fc.Arbitrary<unknown>> = {
  userProvidedId: wellFormed,
  barcodeValue: wellFormed,
  barcodeAlternativeText: wellFormed,
  storedValue: fc.oneof(
    fc.constantFrom(0, -1, 0.1 + 0.2, '12.50', 1e15),
    fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
  ),
  expirationDate: moment,
  relevantDate: moment,
  validAsOfDate: fc.oneof(moment, fc.constant('2027-05-01')),
  groupingIdentifier: wellFormed,
  bundleId: fc.uuid(),
  emailRecipient: fc.constantFrom('ada@example.com', ' Ada.Lovelace@EXAMPLE.com'),
  phoneRecipient: fc.constantFrom('+43 664 1234567', '0043-664-1234567'),
  downloadPin: fc.constantFrom('1234', '0000'),
  labelColor: color,
  foregroundColor: color,
  backgroundColor: color,
  footerBackgroundColor: color,
  eligibleValidationPlaces: fc.subarray<unknown>(['Gate', 'Foyer', 7]),
  locations: fc.array(
    fc.record(
      {
        latitude: fc.constantFrom(48.1, '-12.25', 90),
        longitude: fc.constantFrom(16.3, '-180'),
        altitude: fc.constantFrom(170, null),
        maxDistance: fc.constantFrom(50),
        relevantText: wellFormed,
        localizedRelevantText: fc.constant({ de: 'Hier', 'pt-BR': 'Aqui' }),
      },
      { requiredKeys: ['latitude', 'longitude'], noNullPrototype: true },
    ),
    { maxLength: 2 },
  ),
  urlToThumbnail: image,
  urlToBackground: image,
  urlToLogo: image,
  localizedBackgroundImages: image.map((url) => ({ fr: url, de: url })),
  Text: wellFormed,
  'Long text': fc.constantFrom('a\nb', 'x'.repeat(2_000)),
  Mail: fc.constant('ada@example.com'),
  Number: fc.constantFrom('012.50', -3, '0'),
  Day: fc.constant('2027-03-28'),
  Moment: fc.constantFrom('2027-03-28 02:30', '2027-03-28T02:30'),
  Paid: fc.constantFrom(true, 'false', 0),
  Side: fc.constant('Aisle'),
  thumbnail: wellFormed,
};
const FLIGHT_EXTRAS = {
  seatNumber: fc.constantFrom('12A', 7),
  originAirportGate: fc.constant('B4'),
  localScheduledArrivalDateTime: fc.constant('2027-03-01T12:15'),
};
const fields = fc.record({ ...FIELDS, ...FLIGHT_EXTRAS }, { requiredKeys: [], noNullPrototype: true });

interface State {
  version: number;
  modifiedAt: number;
  events: number;
}

async function stateOf(id: string): Promise<State> {
  const [row] = await d1<State>(
    `select version, modified_at as modifiedAt, (select count(*) from account_events where pass_id = passes.id) as events
      from passes where id = ?`,
    [id],
  );
  return row!;
}

const v1 = (id: string) => client.get(`/api/pass/${id}?includeFieldMapping=true`);
const v3 = (id: string, keys: string) => client.get(`/api/v3/pass/${id}?formatKeyAdditionalProperties=${keys}`);
const withoutLinks = ({ body: { data } }: Reply) => ({ ...data, walletSaveUri: null });

async function sentBack(id: string): Promise<Reply[]> {
  const [byId, byName, old] = await Promise.all([v3(id, 'id'), v3(id, 'name'), v1(id)]);
  return [
    await client.post(`/api/v3/pass/${id}?async=false`, { data: byId.body.data }),
    await client.post(`/api/v3/pass/${id}`, { data: byName.body.data }),
    await client.patch(`/api/v3/pass/${id}?async=false`, { data: byName.body.data }),
    await client.post(`/api/pass/${id}?integrationStyle=true`, old.body),
  ];
}

async function expectUnchanged(id: string): Promise<void> {
  const [state, row, old, asked] = [await stateOf(id), await v3(id, 'id'), await v1(id), outside.requests.length];
  for (const reply of await sentBack(id)) expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect(withoutLinks(await v3(id, 'id'))).toEqual(withoutLinks(row));
  expect((await v1(id)).body).toEqual(old.body);
  expect(await stateOf(id)).toEqual(state);
  expect(outside.requests.length).toBe(asked);
}

test('a pass of any type, with any fields, that is read and sent back by v3 and by v1 does not change', {
  timeout: 300_000,
}, async () => {
  const property = fc.asyncProperty(fc.nat(TYPES.length - 1), fields, fc.boolean(), async (nth, sent, voided) => {
    const { id: templateId, isAir } = templates[nth]!;
    const data = { templateId, Class: 'First', ...sent, ...(isAir ? SAMPLE_FLIGHT : {}) };
    const created = await client.post('/api/v3/pass?async=false', { data });
    expect(created.status, JSON.stringify(created.body)).toBe(200);
    const id = created.body.data.identifier;
    if (voided) await client.put(`/api/pass/${id}`, { voided: true });
    await expectUnchanged(id);
  });
  await fc.assert(property, randomRuns(40, 40_000));
  await enter();
});

test('a property with the name of a member of a read stays empty when the read is sent back', async () => {
  const { identifier: plain } = await client.createPass(await client.createTemplate());
  const members = [...Object.keys((await v3(plain, 'id')).body.data), ...Object.keys((await v1(plain)).body)];
  const additionalProperties = [...new Set(members)].map((name) => ({ name, type: 'text' }) as const);
  const { identifier } = await client.createPass(await client.createTemplate({ additionalProperties }));
  const before = await stateOf(identifier);
  for (const reply of await sentBack(identifier)) expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const { passFieldData, fieldMapping } = (await v1(identifier)).body;
  const written = Object.keys(fieldMapping).filter((name) => fieldMapping[name] in passFieldData);
  expect(written, 'missing in the READ_NAMES of src/domain/passes/values/shown-fields.ts').toEqual([]);
  expect(await stateOf(identifier)).toEqual(before);
});

describe('existing values of a pass stay valid when its template changes', () => {
  async function passWithout(change: (definition: TemplateInput) => TemplateInput, data: object) {
    const templateId = await client.createTemplate(SHARED);
    const { identifier } = await client.createPass(templateId, { Class: 'First', ...data });
    const { data: definition } = (await client.get(`/api/v2/pass-template/${templateId}/describe`)).body;
    const changed = await client.post(`/api/v2/pass-template/${templateId}`, change(definition));
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    expect((await client.post(`/api/v2/pass-template/${templateId}/publish`, {})).status).toBe(201);
    return identifier as string;
  }

  test('a place, an option, a PIN and a grouping identifier that it no longer knows', async () => {
    const data = { eligibleValidationPlaces: ['Gate', 'Foyer'], Side: 'Aisle', downloadPin: '1234' };
    const id = await passWithout(
      (definition) => ({
        ...definition,
        validValidationPlaces: ['Foyer'],
        downloadPinEnabled: false,
        additionalProperties: definition.additionalProperties!.map((one) =>
          one.name === 'Side' ? { ...one, options: ['Window'] } : one,
        ),
      }),
      data,
    );
    expect((await v3(id, 'name')).body.data).toMatchObject(data);
    await expectUnchanged(id);
    const more = await client.patch(`/api/v3/pass/${id}`, { data: { eligibleValidationPlaces: ['Gate'] } });
    expect([more.status, (await v3(id, 'id')).body.data.eligibleValidationPlaces]).toEqual([200, ['Gate']]);
    const gone = await client.patch(`/api/v3/pass/${id}`, { data: { eligibleValidationPlaces: ['Foyer', '7'] } });
    expect([gone.status, gone.body.errors.join()]).toEqual([400, expect.stringContaining('eligibleValidationPlaces')]);
  });

  test('a property that became required, and one that got a default', async () => {
    const id = await passWithout(
      (definition) => ({
        ...definition,
        additionalProperties: definition.additionalProperties!.map((one) =>
          one.name === 'Number' ? { ...one, required: true } : one.name === 'Side' ? { ...one, default: 'Aisle' } : one,
        ),
      }),
      {},
    );
    await expectUnchanged(id);
    const { data } = (await v3(id, 'name')).body;
    const changed = await client.post(`/api/v3/pass/${id}`, { data: { ...data, Text: 'New' } });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    expect((await v3(id, 'name')).body.data).toMatchObject({ Text: 'New' });
    const whole = await client.post(`/api/v3/pass/${id}`, { data: { Class: 'First' } });
    expect([whole.status, whole.body.errors.join()]).toEqual([400, expect.stringContaining('Number')]);
  });

  test('a recipient that was stored before recipients were checked', async () => {
    const { identifier: id } = await client.createPass(templates[0]!.id, { Class: 'First' });
    await d1(`update passes set email_recipient = 'nobody', phone_recipient = 'none' where id = ?`, [id]);
    await expectUnchanged(id);
    const other = await client.patch(`/api/v3/pass/${id}`, { data: { emailRecipient: 'nobody else' } });
    expect([other.status, other.body.errors.join()]).toEqual([400, expect.stringContaining('emailRecipient')]);
  });

  test('values of a template that it has left, for a way back', async () => {
    const project = (await client.post('/api/v3/project', { name: 'Tour' })).body.data.identifier;
    const [from, to] = await Promise.all([
      client.createTemplate({ ...SHARED, projectId: project }),
      client.createTemplate({ projectId: project, additionalProperties: [{ name: 'Other', type: 'text' }] }),
    ]);
    const { identifier: id } = await client.createPass(from!, { Class: 'First', Text: 'Kept' });
    expect((await client.post(`/api/v2/pass/${id}/movetotemplate/${to}`)).status).toBe(200);
    await expectUnchanged(id);
    expect((await client.post(`/api/v2/pass/${id}/movetotemplate/${from}`)).status).toBe(200);
    expect((await v3(id, 'name')).body.data).toMatchObject({ Class: 'First', Text: 'Kept' });
  });
});

describe('writes accept', () => {
  test.each(['2027-03-01 10:15', '2027-03-01 10:15:30', '2027-03-01T10:15'])('the date %s', async (date) => {
    const shown = `${date.replace('T', ' ')}:00`.slice(0, 19);
    const dates = { expirationDate: date, relevantDate: date, validAsOfDate: date };
    const created = await client.post('/api/v3/pass', {
      data: { templateId: templates[0]!.id, Class: 'First', ...dates },
    });
    const { identifier } = created.body.data;
    const expected = { expirationDate: shown, relevantDate: shown, validAsOfDate: shown };
    expect((await v3(identifier, 'id')).body.data).toMatchObject(expected);
    for (const none of ['', null]) {
      const cleared = await client.patch(`/api/v3/pass/${identifier}`, { data: { expirationDate: none } });
      expect([cleared.status, (await v3(identifier, 'id')).body.data.expirationDate]).toEqual([200, null]);
      await client.post(`/api/pass/${identifier}`, dates);
    }
  });

  test.each(['2027-03-01T09:45', '2027-03-01 09:45', '2027-03-01 09:45:00'])(
    'the time %s of a flight',
    async (time) => {
      const air = templates.find(({ isAir }) => isAir)!;
      const data = { ...SAMPLE_FLIGHT, templateId: air.id, Class: 'First', localBoardingDateTime: time };
      const created = await client.post('/api/v3/pass', { data });
      expect((await v3(created.body.data.identifier, 'id')).body.data.localBoardingDateTime).toBe('2027-03-01T09:45');
    },
  );
});

test('effectiveExpirationDate is what the pass shows by the rules of its template', async () => {
  const templateId = await client.createTemplate({
    expiration: {
      expirationDate: '2027-06-30 23:59',
      expirationDateDifferentForEachPass: true,
      limitExpirationDateOfPassWithTemplate: true,
      fallbackToTemplateExpirationDateIfEmpty: true,
    },
  });
  const read = async (expirationDate: string | null) => {
    const { identifier } = await client.createPass(templateId, { expirationDate });
    const { data } = (await v3(identifier, 'id')).body;
    return [data.expirationDate, data.effectiveExpirationDate];
  };
  expect(await read('2027-05-01 10:00')).toEqual(['2027-05-01 10:00:00', '2027-05-01 10:00:00']);
  expect(await read('2027-08-01 10:00')).toEqual(['2027-08-01 10:00:00', '2027-06-30 23:59:00']);
  expect(await read(null)).toEqual([null, '2027-06-30 23:59:00']);
});

test('downloadEnabledUntil is shown, and ignored in writes', async () => {
  const { identifier } = await client.createPass(templates[0]!.id, { Class: 'First' });
  await client.post(`/api/pass/${identifier}/enabledownload`, { enableDownloadUntil: '2030-01-31 20:00' });
  await client.patch(`/api/v3/pass/${identifier}`, { data: { downloadEnabledUntil: '2031-01-01 00:00' } });
  expect((await v3(identifier, 'id')).body.data.downloadEnabledUntil).toBe('2030-01-31 20:00:00');
});
