import { describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { layoutFaults, type NewLayout } from '../../../src/domain/templates/wallet-rules/apple-scheme-rules.ts';
import { appleExtras } from '../../../src/wallets/apple/layouts.ts';
import { readAirports } from '../../support/airports.ts';
import { sampleCard } from '../../support/card.ts';
import { sampleTemplate, type TemplateInput } from '../../support/samples.ts';

const layoutsOf = async (card: Card) => (await appleExtras(card, readAirports)).layouts;

describe('the layouts of a card', () => {
  test('are those requested by its template, and shown if its file has them', async () => {
    expect(await layoutsOf(sampleCard('generic'))).toEqual([]);
    const flight = sampleCard('boardingPass', { preferredStyleScheme: 'semanticBoardingPass' });
    expect(await layoutsOf(flight)).toEqual([{ name: 'semanticBoardingPass', isShown: true, missing: [] }]);
    const image = { sha256: 'abc', width: 10, height: 10, variants: {} };
    const apple = { members: {}, additionalInfoFields: [], upcoming: [], posterGeneric: {} };
    expect(await layoutsOf(sampleCard('coupon', { apple, images: { artwork: image } }))).toMatchObject([
      { name: 'posterGeneric', isShown: true },
    ]);
    expect(await layoutsOf(sampleCard('coupon', { apple }))).toMatchObject([{ name: 'posterGeneric', isShown: false }]);
  });

  test('name the tags that the card lacks', async () => {
    const card = sampleCard('boardingPass', { preferredStyleScheme: 'semanticBoardingPass' });
    const nowhere = { ...card, flight: { ...card.flight!, destinationAirportCode: 'ZZZ' } };
    expect(await layoutsOf(nowhere)).toEqual([
      {
        name: 'semanticBoardingPass',
        isShown: false,
        missing: ['destinationCityName', 'destinationLocationTimeZone', 'originalArrivalDate'],
      },
    ]);
  });
});

describe('what keeps a definition from a layout', () => {
  const nfc = { enabled: true, requiresAuthentication: true, encryptionPublicKey: 'x' };
  const paths = (layout: NewLayout, overrides: Partial<TemplateInput>) => {
    const definition = TemplateDefinition.parse(sampleTemplate({ type: 'eventTicket', ...overrides }));
    return layoutFaults(definition, layout).map(({ path }) => path);
  };
  const semantics = { eventName: 'E', venueName: 'V', venueRegionName: 'R', venueRoom: 'O' };

  test.each<[string, Partial<TemplateInput>, string[]]>([
    ['nothing', {}, []],
    ['no NFC', { nfc: { enabled: false } }, ['preferredStyleScheme']],
    ['no artwork', { images: {} }, ['images.artwork']],
    [
      'no name of the room',
      { apple: { semantics: { ...semantics, venueRoom: null } } as never },
      ['apple.semantics.venueRoom'],
    ],
  ])('a poster ticket: %s', (_, overrides, expected) => {
    const whole = {
      preferredStyleScheme: 'posterEventTicket',
      nfc: { ...nfc, encryptionPublicKey: `MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgA${'A'.repeat(44)}=` },
      images: { artwork: 'https://a.example/artwork.png' },
      apple: { semantics } as never,
    } as const;
    expect(paths('posterEventTicket', { ...whole, ...overrides })).toEqual(expected);
  });

  test('a poster of iOS 27: a boarding pass, no artwork', () => {
    const apple = { posterGeneric: {} } as never;
    expect(paths('posterGeneric', { type: 'generic', apple })).toEqual(['images.artwork']);
    const images = { artwork: 'https://a.example/artwork.png' };
    expect(paths('posterGeneric', { type: 'generic', apple, images })).toEqual([]);
    const flight = { type: 'boardingPass', transitType: 'PKTransitTypeTrain', apple, images } as const;
    expect(paths('posterGeneric', flight)).toEqual(['apple.posterGeneric']);
  });
});
