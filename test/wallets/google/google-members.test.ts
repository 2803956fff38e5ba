import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import type { GoogleInput } from '../../../src/domain/templates/google/input.ts';
import type { GoogleKind } from '../../../src/domain/templates/google/kind.ts';
import { mapImages, type StoredGoogle, withoutNulls } from '../../../src/domain/templates/google/members.ts';
import { buildClass } from '../../../src/wallets/google/pass-class.ts';
import { buildObject } from '../../../src/wallets/google/pass-object.ts';
import { sampleCard, sampleField, sampleFields } from '../../support/card.ts';
import { everyGoogleMember } from '../../support/google-members.ts';
import { publishedMembers, typingFaults } from '../../support/google-typings.ts';
import { sampleTemplate } from '../../support/samples.ts';
import { BASE_URL, ISSUER_ID, type Json } from './signer.ts';

const OPTIONS = { issuerId: ISSUER_ID, baseUrl: BASE_URL, now: Date.UTC(2026, 10, 20, 12) };
const HASH = createHash('sha256').update('image').digest('hex');
const IMAGE = { sourceUri: { uri: `${BASE_URL}/images/${HASH}` } };
const TRANSIT: Partial<Card> = { flight: undefined, transitType: 'PKTransitTypeTrain' };

/** Returns the members as on a card: images stored, and placeholders filled with `7`. */
function onCard(google: object): StoredGoogle {
  const { google: input } = TemplateDefinition.parse({ ...sampleTemplate(), google });
  const stored = mapImages(input as GoogleInput, () => ({ sha256: HASH, width: 1_280, height: 400 }));
  const filled = JSON.stringify(withoutNulls(stored))
    .replaceAll('{emailRecipient}', 'ada@example.com')
    .replaceAll(/\{\w+\}/g, '7');
  return JSON.parse(filled);
}

const CARDS: Record<GoogleKind, (more?: Partial<Card>) => Card> = {
  flight: (more) => sampleCard('boardingPass', more),
  transit: (more) => sampleCard('boardingPass', { ...TRANSIT, ...more }),
  eventTicket: (more) => sampleCard('eventTicket', more),
  loyalty: (more) => sampleCard('storeCard', more),
  giftCard: (more) => sampleCard('storeCard', { googleKind: 'giftCard', ...more }),
  offer: (more) => sampleCard('coupon', more),
  generic: (more) => sampleCard('generic', more),
};
const KINDS = Object.keys(CARDS) as GoogleKind[];

function sent(kind: GoogleKind, google?: object, more: Partial<Card> = {}): { class: Json; object: Json } {
  const images = { logo: { sha256: HASH, width: 660, height: 660, variants: {} } };
  const card = CARDS[kind]({ images, ...(google && { google: onCard(google) }), ...more });
  const json = ({ resource }: { resource: object }) => JSON.parse(JSON.stringify(resource));
  return { class: json(buildClass(card, OPTIONS)), object: json(buildObject(card, OPTIONS)) };
}

describe.each(KINDS)('%s', (kind) => {
  test('matches Google’s published types, with every member and with none', () => {
    for (const google of [undefined, everyGoogleMember()]) {
      const resources = sent(kind, google);
      expect(typingFaults(`${kind}Class`, resources.class)).toEqual([]);
      expect(typingFaults(`${kind}Object`, resources.object)).toEqual([]);
    }
  });

  /** Members that this service writes under another name, or only sends with an update. */
  const RENAMED: Record<string, string[]> = {
    wideLogo: ['wideLogo', 'wideProgramLogo', 'wideTitleImage'],
    notifyPreference: [],
  };

  test('has every member that Google supports', () => {
    const resources = sent(kind, everyGoogleMember());
    for (const member of Object.keys(everyGoogleMember())) {
      for (const name of RENAMED[member] ?? [member]) {
        const places = (['class', 'object'] as const).filter((place) =>
          publishedMembers(`${kind}${place === 'class' ? 'Class' : 'Object'}`).includes(name),
        );
        const found = places.filter((place) => name in resources[place]);
        expect(found, `${name} of ${kind}, in ${places}`).toHaveLength(Math.min(places.length, 1));
      }
    }
  });

  test('does not change without members, and neither does its class name', () => {
    expect(sent(kind, {})).toEqual(sent(kind));
  });
});

describe('members', () => {
  const { class: ticketClass, object } = sent('eventTicket', everyGoogleMember());

  test('of a layout take precedence over the rows of fields', () => {
    expect(ticketClass.classTemplateInfo).toEqual(everyGoogleMember().classTemplateInfo);
    const details = { detailsTemplateOverride: everyGoogleMember().classTemplateInfo!.detailsTemplateOverride };
    const { classTemplateInfo } = sent('eventTicket', { classTemplateInfo: details }).class;
    expect(classTemplateInfo).toEqual({ ...sent('eventTicket').class.classTemplateInfo, ...details });
    expect(sent('flight', { classTemplateInfo: details }).class.classTemplateInfo).toEqual(details);
  });

  test('that are texts, links and images are added to the card’s', () => {
    const before = sent('eventTicket').object;
    expect(object.textModulesData).toEqual([
      ...before.textModulesData,
      { id: 'hours', header: 'Hours', body: 'From 7' },
      { id: 'text-module-2', header: 'Rules', body: 'No dogs' },
    ]);
    expect(object.linksModuleData.uris).toEqual([
      ...before.linksModuleData.uris,
      { id: 'map', uri: 'geo:52.52,13.40', description: 'Way' },
    ]);
    expect(object.imageModulesData).toEqual([{ id: 'poster', mainImage: IMAGE }]);
    expect(object.merchantLocations).toEqual([{ latitude: 52.52, longitude: 13.4 }]);
  });

  test('that are texts are translated like the card', () => {
    const google = onCard({ venue: { name: 'Great Hall', address: 'A 1' }, textModulesData: [{ body: 'No dogs' }] });
    const translations = { de: { 'Great Hall': 'Großer Saal', 'No dogs': 'Keine Hunde' } };
    const resources = sent('eventTicket', undefined, { google, translations });
    expect(resources.class.venue.name).toEqual({
      defaultValue: { language: 'en', value: 'Great Hall' },
      translatedValues: [{ language: 'de', value: 'Großer Saal' }],
    });
    expect(resources.object.textModulesData.at(-1).localizedBody.translatedValues).toEqual([
      { language: 'de', value: 'Keine Hunde' },
    ]);
  });

  test('give an event its place, its times in the card’s zone, and a seat', () => {
    const text = (value: string) => ({ defaultValue: { language: 'en', value } });
    expect(ticketClass.venue).toEqual({ name: text('Great Hall'), address: text('Main Street 1\nBerlin') });
    expect(ticketClass.dateTime).toEqual({
      doorsOpen: '2026-12-31T18:00:00+01:00',
      start: '2026-12-31T20:00:00+01:00',
      end: '2027-01-01T02:00:00+01:00',
      customDoorsOpenLabel: text('Admission'),
    });
    expect(object.seatInfo).toEqual({ seat: text('7'), row: text('B'), gate: text('West') });
    const { dateTime } = sent('eventTicket', { dateTime: { doorsOpenLabel: 'GATES_OPEN' } }).class;
    expect(dateTime).toEqual({ start: '2027-01-01T19:30:00+01:00' });
  });

  test('give an airline its wide logo, in the header of the flight', () => {
    const { carrier } = sent('flight', { wideLogo: 'x' }).class.flightHeader;
    expect(carrier).toEqual({ ...sent('flight').class.flightHeader.carrier, wideAirlineLogo: IMAGE });
    expect(sent('flight', { wideLogo: 'x' }).class).not.toHaveProperty('wideLogo');
  });

  test('put an event’s seat on the front', () => {
    const { class: seated } = sent('eventTicket', { seatInfo: { row: '1', seat: '{userProvidedId}' } });
    const [first] = seated.classTemplateInfo.cardTemplateOverride.cardRowTemplateInfos;
    expect(JSON.stringify(first)).toContain('object.seatInfo.row');
  });

  test('are omitted if a placeholder results in a value that Google rejects', () => {
    const google: StoredGoogle = {
      textModulesData: [{ id: 'a', header: 'A', body: '' }],
      valueAddedModuleData: [{ header: '', body: 'B' }],
      linkedObjectIds: ['', 'not an id', `${ISSUER_ID}9.x`, `${ISSUER_ID}.${CARDS.generic().id}`],
      smartTapRedemptionValue: 'Grüße',
      saveRestrictions: { restrictToEmailSha256: '' },
      venue: { name: 'Hall', address: '' },
      dateTime: { start: 'soon', end: '' },
    };
    for (const kind of KINDS) expect(sent(kind, undefined, { google })).toEqual(sent(kind));
    expect(sent('eventTicket', undefined, { google: { seatInfo: { seat: '' } } }).object).not.toHaveProperty(
      'seatInfo',
    );
  });

  test('link only passes of the same issuer', () => {
    const google = { linkedObjectIds: [`${ISSUER_ID}.a`, `${ISSUER_ID}.a`, '3388000000099999999.b'] };
    expect(sent('loyalty', google).object.linkedObjectIds).toEqual([`${ISSUER_ID}.a`]);
  });

  test('restrict saving to an e-mail address by its digest', () => {
    const digest = createHash('sha256').update('ada@example.com').digest('hex');
    expect(object.saveRestrictions).toEqual({ restrictToEmailSha256: digest });
  });

  test('of Smart Tap are in class and object', () => {
    expect(ticketClass).toMatchObject({ enableSmartTap: true, redemptionIssuers: [ISSUER_ID] });
    expect(object.smartTapRedemptionValue).toBe('TAP-7');
  });

  test('open an app with a button of at most 30 characters', () => {
    const google = onCard(everyGoogleMember());
    google.appLinkData!.displayText = 'x'.repeat(40);
    const { appLinkData } = sent('offer', undefined, { google }).object;
    expect(appLinkData.displayText.defaultValue.value).toHaveLength(30);
    expect(appLinkData.webAppLinkInfo.appTarget.targetUri).toEqual({
      uri: 'https://app.example/',
      description: 'Open the app',
    });
  });

  test('open an app without a description that placeholders left empty', () => {
    const google = onCard(everyGoogleMember());
    google.appLinkData!.webAppLinkInfo!.appTarget.targetUri!.description = '';
    const { appLinkData } = sent('offer', undefined, { google }).object;
    expect(appLinkData.webAppLinkInfo.appTarget.targetUri).toEqual({ uri: 'https://app.example/' });
  });

  test('that are images need a public origin', () => {
    const card = CARDS.generic({ google: onCard(everyGoogleMember()) });
    const { resource } = buildObject(card, { ...OPTIONS, baseUrl: 'http://127.0.0.1:8787' });
    expect(JSON.stringify(resource)).not.toContain('/images/');
  });

  test('that request a notification are sent only with updates, by the sender', () => {
    for (const kind of KINDS) {
      const resources = sent(kind, { notifyPreference: 'NOTIFY_ON_UPDATE' });
      expect(resources).toEqual(sent(kind));
    }
  });
});

describe('a gift card', () => {
  test('shows its balance as money, in a member of its own', () => {
    const resources = sent('giftCard');
    expect(resources.class).toMatchObject({ merchantName: 'Example Coffee', allowBarcodeRedemption: true });
    expect(resources.object).toMatchObject({
      cardNumber: '0815-4711',
      balance: { micros: '25400000', currencyCode: 'EUR' },
    });
    expect(JSON.stringify(resources.object.textModulesData)).not.toContain('Balance');
    expect(JSON.stringify(resources.class.classTemplateInfo)).toContain('"object.balance"');
  });

  test('treats other values as text, and keeps its class while its balance is empty', () => {
    const fields = sampleFields({ primaryFields: [sampleField('rides', 'Rides', 7, { type: 'number' })] });
    const { object } = sent('giftCard', undefined, { fields });
    expect(object).not.toHaveProperty('balance');
    expect(object.textModulesData).toMatchObject([{ id: 'rides', body: '7' }]);
    const euros = (value: string | number) =>
      sent('giftCard', undefined, {
        fields: sampleFields({
          primaryFields: [sampleField('b', 'B', value, { type: 'currency', currencyCode: 'EUR' })],
        }),
      });
    expect(euros('').class).toEqual(euros(5).class);
    expect(euros('').object).not.toHaveProperty('balance');
  });

  test('has a number even without a code', () => {
    const { class: giftClass, object } = sent('giftCard', undefined, { barcode: undefined });
    expect(object.cardNumber).toBe(CARDS.giftCard().id);
    expect(giftClass.allowBarcodeRedemption).toBe(false);
  });
});
