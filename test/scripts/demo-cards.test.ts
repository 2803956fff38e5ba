import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { demoCards } from '../../scripts/demo/card.ts';
import type { DemoKey } from '../../scripts/demo/templates.ts';
import { googleKindOf } from '../../src/domain/passes/google/google-object.ts';
import { inspectImage } from '../../src/platform/images.ts';
import { buildPassJson } from '../../src/wallets/apple/pass-json.ts';
import { buildClass } from '../../src/wallets/google/pass-class.ts';
import { buildObject } from '../../src/wallets/google/pass-object.ts';
import { readAirports } from '../support/airports.ts';
import { typingFaults } from '../support/google-typings.ts';
import { peerFaults } from '../support/peer-schemas.ts';

/* The example pass of each demo template, as wallets receive it. */

const cards = await demoCards((source) => {
  const bytes = Buffer.from(source, 'base64');
  const { width, height } = inspectImage(bytes);
  return { sha256: createHash('sha256').update(bytes).digest('hex'), width, height, variants: {} };
});
const cardOf = (key: DemoKey) => cards.find((one) => one.key === key)!.card;
const asSent = (value: object) => JSON.parse(JSON.stringify(value));

const appleJson = async (key: DemoKey) =>
  asSent(await buildPassJson(cardOf(key), { passTypeId: 'pass.com.example.demo', teamId: 'DEVTEAM000', readAirports }));

function google(key: DemoKey) {
  const card = cardOf(key);
  const options = { issuerId: '3388000000000000001', baseUrl: 'https://passes.example.com', now: card.modifiedAt };
  const [passClass, object] = [buildClass(card, options), buildObject(card, options)];
  return { class: asSent(passClass.resource), object: asSent(object.resource) };
}

test.each(cards)(
  'passkit-generator accepts the pass.json of $key, in which all placeholders are filled',
  async ({ key }) => {
    const pass = await appleJson(key);
    expect(peerFaults(pass)).toEqual([]);
    expect(JSON.stringify(pass)).not.toMatch(/\{\w+\}/);
  },
);

test.each(cards)('class and object of $key match Google’s published types', ({ key, card }) => {
  const sent = google(key);
  const kind = googleKindOf(card);
  expect(typingFaults(`${kind}Class`, sent.class)).toEqual([]);
  expect(typingFaults(`${kind}Object`, sent.object)).toEqual([]);
  expect(JSON.stringify(sent).replaceAll(/\{totp_value_0\}/g, '')).not.toMatch(/\{\w+\}/);
});

test('the season ticket is a poster for entry by NFC, with three matches', async () => {
  const pass = await appleJson('seasonTicket');
  expect(pass.preferredStyleSchemes).toEqual(['posterEventTicket', 'eventTicket']);
  expect(pass.nfc).toMatchObject({ requiresAuthentication: true });
  expect(pass.upcomingPassInformation.map(({ name }: { name: string }) => name)).toEqual([
    'FC Nordkai – SV Eichental',
    'FC Nordkai – Union Brückfeld',
    'FC Nordkai – Kickers Lauen',
  ]);
  expect(pass.relevantDates).toHaveLength(3);
  const sent = google('seasonTicket');
  expect(sent.class.venue.name.defaultValue.value).toBe('Kaistadion');
  expect(sent.object.seatInfo).toMatchObject({ section: { defaultValue: { value: 'N2' } } });
});

test('the boarding pass has the new style, and is a flight at Google', async () => {
  const pass = await appleJson('boardingPass');
  expect(pass.preferredStyleSchemes).toEqual(['semanticBoardingPass', 'boardingPass']);
  expect(pass.barcodes[0].message).toMatch(/^M1CASTELLAN\/MIRA {6}EK7QX4M ZRHLISZZ 2184 /);
  expect(pass.changeSeatURL).toBe('https://corvane.example/seat?booking=K7QX4M');
  expect(google('boardingPass').class.flightHeader.flightNumber).toBe('2184');
});

test('the loyalty card has two actions and points', async () => {
  const { featuredActions } = await appleJson('storeCard');
  expect(featuredActions.map(({ type }: { type: string }) => type)).toEqual(['order', 'viewOffersRewards']);
  const { object } = google('storeCard');
  expect(object.loyaltyPoints.balance).toEqual({ int: 240 });
  expect(object.appLinkData.displayText.defaultValue.value).toBe('Order ahead');
  expect(object.merchantLocations).toHaveLength(3);
});

test('the code of the ticket rotates on Android and stays on an iPhone', async () => {
  const { object } = google('transitTicket');
  expect(object.rotatingBarcode).toMatchObject({ totpDetails: { periodMillis: '30000' } });
  expect(object.ticketLeg.originName.defaultValue.value).toBe('Seehausen');
  expect((await appleJson('transitTicket')).barcodes[0].message).toBe(cardOf('transitTicket').barcode?.value);
});

test('the museum card has a poster, and its own layout at Google', async () => {
  const { posterGeneric } = await appleJson('generic');
  expect(Object.keys(posterGeneric).sort()).toEqual([
    'additionalInfoFields',
    'backFields',
    'footerFields',
    'headerFields',
    'primaryFields',
  ]);
  const sent = google('generic');
  expect(sent.object.genericType).toBe('GENERIC_SEASON_PASS');
  expect(sent.class.classTemplateInfo.cardTemplateOverride.cardRowTemplateInfos).toHaveLength(2);
});
