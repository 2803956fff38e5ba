import { describe, expect, test } from 'vitest';
import { OWN_PLACEHOLDERS } from '../../../../src/domain/passes/card/placeholders.ts';
import { readPackage } from '../../../../src/wallets/apple/template-package/import-template.ts';
import { openPackage } from '../../../../src/wallets/apple/template-package/open-package.ts';
import { archiveOf, couponJson } from '../../../support/template-files.ts';

type Files = Parameters<typeof archiveOf>[0];

function read(files: Files) {
  const home = { language: 'en', timezone: 'Europe/Vienna' };
  return readPackage(openPackage(archiveOf(files)), home, {}, Date.UTC(2026, 10, 23));
}

/** An issued pass. */
const issued = (pass: object, more: Files = {}): Files => ({
  'pass.json': couponJson({ serialNumber: 'S-1', authenticationToken: 'T'.repeat(16), ...pass }),
  ...more,
});

const link = (url: string) => ({ key: 'a', label: 'Go', value: 'x', attributedValue: `<a href="${url}">x</a>` });
const ADDRESS = 'the address may belong to the holder of the example pass; left out';

describe('an issued pass', () => {
  test('with a complete definition in it is read without that definition', () => {
    const { definition, warnings } = read(
      issued({ logoText: 'Cafe' }, { signature: 'x', '.pass-wallet-service/template.json': '{"format": 1}' }),
    );
    expect(definition.logoText).toBe('Cafe');
    expect(warnings).toContain('.pass-wallet-service/template.json: not used, because the file is an issued pass');
  });

  test('has texts and links that fill in nothing of later holders, and sign nothing', () => {
    const { definition, warnings } = read(
      issued(
        {
          logoText: 'To { emailRecipient }',
          barcodes: [{ format: 'PKBarcodeFormatQR', message: '0815', altText: '0815' }],
          coupon: {
            primaryFields: [
              { key: 'vip', label: '{seatNumber}', value: '{sign(VIP-1)}', changeMessage: '{unknown} %@' },
            ],
            secondaryFields: [{ key: 'code', value: '0815' }],
            backFields: [link('https://evil.example/{downloadPage}/x')],
          },
          appLaunchURL: 'https://evil.example/{barcodeValue}',
          semantics: { wifiAccess: [{ ssid: '{sign{downloadPage}}', password: '{{phoneRecipient}}' }] },
          upcomingPassInformation: [
            { identifier: 'e', name: '{createdOn}', type: 'event', backFields: [{ key: 'b', value: '{bcbp}' }] },
          ],
          relevantDates: [{ date: '{expirationDate}' }],
        },
        {
          'en.lproj/pass.strings': '"hello" = "Hello {identifier}";',
          'de.lproj/pass.strings': '"hello" = "Hallo {userProvidedId}"; "{storedValue}" = "{sign()}";',
        },
      ),
    );
    expect(definition).toMatchObject({
      logoText: 'To [ emailRecipient ]',
      fields: {
        primaryFields: [{ label: '[seatNumber]', value: '[sign(VIP-1)}', changeMessage: '{unknown} %@' }],
        secondaryFields: [{ value: '{barcodeValue}' }],
      },
      barcode: { alternativeText: '{barcodeValue}' },
      links: [{ url: 'https://evil.example/[downloadPage]/x' }],
      translations: { de: { 'Hello [identifier]': 'Hallo [userProvidedId]', '[storedValue]': '[sign()}' } },
    });
    const texts = JSON.stringify(definition).replaceAll('"{barcodeValue}"', '');
    expect(texts).not.toContain('{sign(');
    expect(OWN_PLACEHOLDERS.filter((name) => texts.includes(`{${name}}`))).toEqual([]);
    const bracketed = warnings.filter((warning) => warning.includes('placeholders of this service'));
    expect(bracketed.map((warning) => warning.split(':')[0])).toEqual([
      'logoText',
      'fields.primaryFields.0.label',
      'fields.primaryFields.0.value',
      'links.0.url',
      'apple.relevantDates.0.date',
      'apple.appLaunchURL',
      'apple.semantics.wifiAccess.0.ssid',
      'apple.semantics.wifiAccess.0.password',
      'apple.upcomingPassInformation.0.name',
      'apple.upcomingPassInformation.0.backFields.0.value',
      'translations.de',
      'translations.de',
    ]);
  });

  test('loses addresses with a query or fragment at every level, and keeps others', () => {
    const action = (url: string) => ({ identifier: 'a', type: 'shop', url });
    const { definition, warnings } = read(
      issued({
        coupon: {
          backFields: [link('https://example.com/booking?id=4711'), link('https://example.com/help')],
        },
        appLaunchURL: ' https://example.com/a b?id=4711',
        featuredActions: [action('https://example.com/#4711'), action('https://example.com/shop')],
        upcomingPassInformation: [
          {
            identifier: 'e',
            name: 'Doors: when?',
            type: 'event',
            URLs: { sellURL: 'https://example.com/sell?ticket=4711', orderFoodURL: 'https://example.com/food' },
          },
        ],
      }),
    );
    expect(JSON.stringify({ ...definition, images: {} })).not.toMatch(/\/(#|.*\?\w+=)4711/);
    expect(definition.links).toEqual([{ label: 'Go', url: 'https://example.com/help' }]);
    expect(definition.apple).toEqual({
      featuredActions: [action('https://example.com/shop')],
      upcomingPassInformation: [
        { identifier: 'e', name: 'Doors: when?', type: 'event', URLs: { orderFoodURL: 'https://example.com/food' } },
      ],
    });
    expect(warnings.filter((warning) => warning.includes(ADDRESS))).toEqual([
      `coupon.backFields.0: ${ADDRESS}`,
      `featuredActions.0.url: ${ADDRESS}`,
      `appLaunchURL: ${ADDRESS}`,
      `upcomingPassInformation.0.URLs.sellURL: ${ADDRESS}`,
    ]);
  });

  test('keeps its addresses if it is a template', () => {
    const files = { 'pass.json': couponJson({ coupon: { backFields: [link('https://a.example/?p={identifier}')] } }) };
    expect(read(files).definition.links).toEqual([{ label: 'Go', url: 'https://a.example/?p={identifier}' }]);
  });
});
