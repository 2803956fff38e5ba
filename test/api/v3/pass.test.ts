import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { SAMPLE_FLIGHT } from '../../support/samples.ts';

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

describe('create', () => {
  test('is asynchronous by default: the pass can be read at once, but a generated barcode value is not in the reply', async () => {
    const reply = await client.post('/api/v3/pass', { data: { templateId, userProvidedId: 'v3-async' } });
    expect(reply.status).toBe(200);
    const { data, ...envelope } = reply.body;
    expect(envelope).toEqual({
      success: true,
      description: 'Pass created',
      errors: [],
      statusCode: 200,
      count: 1,
      responseMetaData: null,
    });
    expect(data).toEqual({
      identifier: expect.any(String),
      bundleId: null,
      downloadPage: expect.stringMatching(/\/p\/[\w-]{25}$/),
      barcodeValue: null,
      passFileUri: expect.stringMatching(/\.pkpass$/),
      walletSaveUri: expect.stringMatching(/^https:\/\/pay\.google\.com\/gp\/v\/save\/[\w-]+\.[\w-]+\.[\w-]+$/),
      genericProperties: { Level: 'Basic' },
    });
    const read = await client.get(`/api/v3/pass/${data.identifier}`);
    expect(read.body.data.barcodeValue).toMatch(/^[0-9A-Z]{16}$/);
  });

  test('returns the barcode value with async=false, or if the caller gave it', async () => {
    const sync = await client.post('/api/v3/pass?async=false', { data: { templateId } });
    expect(sync.body.data.barcodeValue).toMatch(/^[0-9A-Z]{16}$/);
    const given = await client.post('/api/v3/pass', { data: { templateId, barcodeValue: 'given' } });
    expect(given.body.data.barcodeValue).toBe('given');
    const number = await client.post('/api/v3/pass', { data: { templateId, barcodeValue: 0 } });
    expect(number.body.data.barcodeValue).toBe('0');
  });

  test.each([
    ['no data', {}, 'data'],
    ['data that is no object', { data: [] }, 'data'],
    ['no templateId', { data: {} }, 'data.templateId'],
  ])('rejects %s and names it', async (_, body, field) => {
    const reply = await client.post('/api/v3/pass', body);
    expect(reply.status).toBe(400);
    expect(reply.body.errors.join()).toContain(field);
  });

  test('rejects async that is neither true nor false, and finds only templates of the account', async () => {
    expect((await client.post('/api/v3/pass?async=maybe', { data: { templateId } })).status).toBe(400);
    const foreign = await freshAccount();
    for (const id of [templateId, 'no-uuid']) {
      const reply = await foreign.post('/api/v3/pass', { data: { templateId: id } });
      expect([reply.status, reply.body.errors]).toEqual([404, ['Object not found']]);
    }
  });

  test('rejects a missing required property, and one of a wrong type', async () => {
    const strict = await client.createTemplate({
      additionalProperties: [
        { name: 'Seat', type: 'number', required: true },
        { name: 'Class', type: 'select', options: ['First', 'Second'] },
        { name: 'Paid', type: 'checkbox' },
      ],
    });
    const create = (data: object) => client.post('/api/v3/pass?async=false', { data: { templateId: strict, ...data } });
    expect((await create({})).body.errors).toEqual(['data.Seat: is required']);
    expect((await create({ Seat: 'window' })).body.errors).toEqual(['data.Seat: must be a number']);
    expect((await create({ Seat: 1, Class: 'Third' })).body.errors[0]).toContain('Class');
    const made = await create({ Seat: 1, Class: 'First', Paid: 'true' });
    expect(made.body.data.genericProperties).toEqual({ Seat: '1', Class: 'First', Paid: true });
  });
});

describe('flights', () => {
  const flight = {
    ...SAMPLE_FLIGHT,
    originAirportCode: 'vie',
    carrierCode: 'os',
    flightNumber: '171',
    seatNumber: '12A',
  };
  let flights: string;
  beforeAll(async () => {
    flights = await client.createTemplate({ type: 'boardingPass', transitType: 'PKTransitTypeAir' });
  });

  test('are stored, with codes in upper case and the number as a number, and returned at top level', async () => {
    const made = await client.createPass(flights, flight);
    const { body } = await client.get(`/api/pass/${made.identifier}`);
    expect(body).toMatchObject({ ...flight, originAirportCode: 'VIE', carrierCode: 'OS', flightNumber: 171 });
    const plain = await client.createPass(templateId, flight);
    expect((await client.get(`/api/pass/${plain.identifier}`)).body).not.toHaveProperty('flightNumber');
  });

  test.each([
    'originAirportCode',
    'destinationAirportCode',
    'localScheduledDepartureTime',
    'localBoardingDateTime',
    'passengerName',
    'carrierCode',
    'confirmationCode',
    'flightNumber',
  ])('need %s', async (field) => {
    const { [field]: _, ...rest } = flight as Record<string, unknown>;
    const v1 = await client.post(`/api/pass?passtemplate=${flights}`, rest);
    expect([v1.status, v1.body.ErrorMessage]).toEqual([400, `${field}: is required`]);
    const v3 = await client.post('/api/v3/pass', { data: { templateId: flights, ...rest, [field]: null } });
    expect([v3.status, v3.body.errors.join()]).toEqual([400, expect.stringContaining(field)]);
  });

  test('have optional fields that are stored unchanged', async () => {
    const optional = {
      originAirportGate: 'F21',
      originAirportTerminal: '3',
      destinationAirportGate: 'A1',
      destinationAirportTerminal: '1',
      localEstimatedOrActualDepartureDateTime: '2027-03-01T10:25',
      localScheduledArrivalDateTime: '2027-03-01T11:50',
      localEstimatedOrActualArrivalDateTime: '2027-03-01T12:00',
      seatClass: 'Economy',
      seatNumber: '12A',
      sequenceNumber: '007',
      boardingGroup: '4',
      boardingPosition: '17',
    };
    const { identifier } = await client.createPass(flights, { ...flight, ...optional });
    expect((await client.get(`/api/pass/${identifier}`)).body).toMatchObject(optional);
    expect((await client.get(`/api/v3/pass/${identifier}`)).body.data).toMatchObject(optional);
  });

  test.each([
    ['originAirportCode', 'WIEN'],
    ['carrierCode', 'OSX'],
    ['flightNumber', 'OS171'],
    ['localBoardingDateTime', '2027-03-01 09.45'],
    ['localBoardingDateTime', '2027-02-30T09:45'],
    ['passengerName', undefined],
  ])('reject %s = %j and name it', async (field, value) => {
    const reply = await client.post('/api/v3/pass', { data: { templateId: flights, ...flight, [field]: value } });
    expect([reply.status, reply.body.errors.join()]).toEqual([400, expect.stringContaining(field)]);
  });
});

test('a read returns one search row, with additional properties by ID or by name', async () => {
  const { identifier } = await client.createPass(templateId, { 'Full name': 'Ada', userProvidedId: 'row' });
  const byId = (await client.get(`/api/v3/pass/${identifier}`)).body;
  expect(byId).toMatchObject({ success: true, count: 1, statusCode: 200 });
  expect(byId.data).toMatchObject({
    identifier,
    userProvidedId: 'row',
    templateId,
    passTemplateName: 'Membership',
    voided: false,
    redeemed: false,
    storedValue: null,
    bundleId: null,
    numberOfActive: 0,
    numberOfInactive: 0,
    firstDownloadedAt: null,
    expirationDate: null,
  });
  expect(Object.entries(byId.data)).toContainEqual([expect.stringMatching(/^[0-9a-f]{13}\.\d{8}$/), 'Ada']);
  const byName = (await client.get(`/api/v3/pass/${identifier}?formatKeyAdditionalProperties=name`)).body.data;
  expect(byName['Full name']).toBe('Ada');
});

test('an eleventh pass of a bundleId is rejected, even if creates race', async () => {
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => client.post('/api/v3/pass', { data: { templateId, bundleId: 'family' } })),
  );
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(10);
  expect(replies.find((reply) => reply.status === 400)?.body.errors[0]).toContain('bundleId');
});
