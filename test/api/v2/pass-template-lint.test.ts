import { beforeAll, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { sampleTemplate } from '../../support/samples.ts';
import { rowsOfAccount } from '../../support/tenant-rows.ts';
import { unzip } from '../../wallets/apple/tools.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
});

const lint = (definition: object) => client.post('/api/v2/pass-template/lint', definition);

test('a definition is checked and not stored', async () => {
  const before = await rowsOfAccount(client.accountId);
  const reply = await lint(sampleTemplate({ groupingIdentifierEnabled: true }));
  expect([reply.status, reply.body.success, reply.body.statusCode]).toEqual([200, true, 200]);
  expect(reply.body.data).toContainEqual({
    path: 'groupingIdentifierEnabled',
    wallet: 'apple',
    severity: 'warning',
    message: 'has no effect: only boarding passes and event tickets are grouped',
    source: 'https://developer.apple.com/documentation/walletpasses/pass',
  });
  expect(await rowsOfAccount(client.accountId)).toEqual(before);
});

test('an invalid definition has its errors as findings, with the same paths as when saving', async () => {
  const broken = { ...sampleTemplate(), name: '', apple: { featuredActions: [{ identifier: 'a', type: 'dance' }] } };
  const [linted, refused] = [await lint(broken), await client.post('/api/v2/pass-template', broken)];
  expect([linted.status, refused.status]).toEqual([200, 400]);
  const errors = linted.body.data.map(({ path, message }: Record<string, string>) => `${path}: ${message}`);
  expect(errors).toEqual(refused.body.errors);
  expect(linted.body.data[0]).toMatchObject({ wallet: 'both', severity: 'error' });
});

test('sizes of images are checked in base64 and in our store, and nothing is downloaded from elsewhere', async () => {
  const id = await client.createTemplate({ images: { icon: PNG } });
  const { icon } = (await client.get(`/api/v2/pass-template/${id}/describe`)).body.data.images;
  const before = await rowsOfAccount(client.accountId);
  const sizesFound = async (source: string) => {
    const reply = await lint(sampleTemplate({ images: { icon: source, logo: source }, google: { wideLogo: source } }));
    const findings = reply.body.data as { path: string; message: string }[];
    return findings.filter(({ message }) => /pixels/.test(message)).map(({ path }) => path);
  };
  for (const source of [PNG, icon])
    expect((await sizesFound(source)).toSorted()).toEqual(['google.wideLogo', 'images.icon', 'images.logo']);
  for (const source of ['https://nowhere.example/a.png', 'bm90IGFuIGltYWdl'])
    expect(await sizesFound(source)).toEqual([]);
  expect(await rowsOfAccount(client.accountId)).toEqual(before);
});

/** Features of every kind; `null` clears one. */
const APPLE = {
  preferredStyleSchemes: ['posterEventTicket', 'eventTicket'],
  semantics: {
    eventName: 'Derby',
    venueName: '{Venue}',
    venueRegionName: 'Vienna',
    venueRoom: 'West',
    eventStartDate: '2027-08-21 20:00',
  },
  featuredActions: [{ identifier: 'shop', type: 'shop', url: 'https://example.com/{Venue}' }],
  upcomingPassInformation: [{ identifier: 'm1', name: 'Match 1', dateInformation: { date: '2027-09-01 18:00' } }],
  relevantDates: [{ startDate: '2027-08-21 18:00', endDate: '2027-08-21 23:00' }],
  beacons: [{ proximityUUID: 'B7FA1C44-B5B2-436D-AD33-C26651C498BB' }],
  additionalInfoFields: [{ label: 'Gate', value: '7' }],
  bagPolicyURL: 'https://example.com/bags',
  useAutomaticColors: true,
  userInfo: { favorite: '{Venue}' },
  appLaunchURL: 'myapp://ticket',
  associatedStoreIdentifiers: [284910350],
};
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAACYAAAAmAgMAAADVUwE9AAAADFBMVEVKVWiGjprDxs3///9JkvsSAAAAOUlEQVR42mNgoDPQWgUEDWDmfxD4AGIxgplfQEwmMPMHWBSkdNUSooxFUotkAplMJOcgORLZ6XQEAPfUT/zYRG7BAAAAAElFTkSuQmCC';

test('features of Apple Wallet are stored as they were sent, and reach the pass file with their images', async () => {
  const definition = sampleTemplate({
    type: 'eventTicket',
    additionalProperties: [{ name: 'Venue', type: 'text' }],
    fields: {},
    images: { icon: PNG, artwork: PNG, primaryLogo: PNG, secondaryLogo: PNG, venueMap: PNG },
    nfc: {
      enabled: true,
      requiresAuthentication: true,
      encryptionPublicKey: `MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgA${'A'.repeat(44)}=`,
    },
    apple: APPLE as object,
  });
  const id = await client.createTemplate(definition);
  const described = (await client.get(`/api/v2/pass-template/${id}/describe`)).body.data;
  expect({ ...described.apple, additionalInfoFields: APPLE.additionalInfoFields }).toEqual(APPLE);
  expect(described.images.artwork).toMatch(/\/images\/[0-9a-f]{64}$/);

  const pass = await client.createPass(id, { Venue: 'Happel Stadium' });
  const files = unzip((await client.get(pass.linkToPassFile as '/')).body);
  for (const name of ['artwork.png', 'primaryLogo.png', 'secondaryLogo.png', 'venueMap.png'])
    expect([...files.keys()]).toContain(name);
  const json = JSON.parse(String(files.get('pass.json')));
  expect(json).toMatchObject({
    preferredStyleSchemes: APPLE.preferredStyleSchemes,
    semantics: { venueName: 'Happel Stadium', eventStartDate: '2027-08-21T20:00:00+02:00' },
    featuredActions: [{ identifier: 'shop', type: 'shop', url: 'https://example.com/Happel%20Stadium' }],
    upcomingPassInformation: [{ name: 'Match 1', type: 'event' }],
    relevantDates: [{ startDate: '2027-08-21T18:00:00+02:00', endDate: '2027-08-21T23:00:00+02:00' }],
    beacons: APPLE.beacons,
    eventTicket: { additionalInfoFields: [{ label: 'Gate', value: '7' }] },
    bagPolicyURL: APPLE.bagPolicyURL,
    useAutomaticColors: true,
    userInfo: { favorite: 'Happel Stadium' },
    appLaunchURL: APPLE.appLaunchURL,
    associatedStoreIdentifiers: APPLE.associatedStoreIdentifiers,
  });

  const patch = { apple: { bagPolicyURL: null, semantics: { venueRoom: 'East' } }, images: { venueMap: null } };
  expect((await client.patch(`/api/v2/pass-template/${id}`, patch)).status).toBe(200);
  const changed = (await client.get(`/api/v2/pass-template/${id}/describe`)).body.data;
  expect(changed.apple).not.toHaveProperty('bagPolicyURL');
  expect(changed.apple.semantics).toEqual({ ...APPLE.semantics, venueRoom: 'East' });
  expect(changed.images.venueMap).toBeNull();
  expect((await client.patch(`/api/v2/pass-template/${id}`, { apple: null })).status).toBe(200);
  expect((await client.get(`/api/v2/pass-template/${id}/describe`)).body.data).not.toHaveProperty('apple');
});
