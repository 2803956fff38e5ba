import { describe, expect, test } from 'vitest';
import { resolveCard } from '../../../../src/domain/passes/card/resolve-card.ts';
import type { Pass } from '../../../../src/domain/passes/table.ts';
import { type StoredDefinition, TemplateDefinition } from '../../../../src/domain/templates/definition.ts';
import type { Env } from '../../../../src/platform/env.ts';
import { sampleTemplate, type TemplateInput } from '../../../support/samples.ts';

const IMAGE = { sha256: 'own', width: 1, height: 1, variants: {} };
// A card uses only these columns.
const PASS = {
  userProvidedId: 'A/1 & 2',
  phoneRecipient: '+43 1',
  emailRecipient: 'ada+x@example.com',
  groupingIdentifier: 'tour',
  properties: {},
  appearance: { images: { logo: IMAGE, thumbnail: IMAGE }, localizedBackgrounds: { de: IMAGE } },
} as unknown as Pass;

function cardOf(overrides: Partial<TemplateInput>, translations?: StoredDefinition['translations']) {
  // Images have addresses until they are stored, and these templates have none.
  const parsed = TemplateDefinition.parse(sampleTemplate(overrides)) as unknown as StoredDefinition;
  return resolveCard({
    account: { id: 'account', timezone: 'UTC', language: 'en' },
    pass: PASS,
    definition: { ...parsed, ...(translations && { translations }) },
    templateVersion: 1,
    links: { baseUrl: 'https://passes.example', env: {} as Env },
  });
}

describe('placeholders', () => {
  test('are filled in change messages, places and links, and in their translations', () => {
    const text = 'Now %@ for {userProvidedId}';
    const { fields, locations, translations } = cardOf({
      fields: { headerFields: [{ key: 'a', value: 'x', changeMessage: text }] },
      locations: [
        {
          latitude: 1,
          longitude: 2,
          relevantText: 'Near, {userProvidedId}',
          localizedRelevantText: { de: 'Nah, {userProvidedId}' },
        },
      ],
      translationsEnabled: true,
      translations: { de: { [text]: 'Jetzt %@ für {userProvidedId}' } },
    });
    const { changeMessage } = fields.headerFields[0]!;
    expect(changeMessage).toBe('Now %@ for A/1 & 2');
    expect(translations.de![changeMessage!]).toBe('Jetzt %@ für A/1 & 2');
    expect(locations).toEqual([
      {
        latitude: 1,
        longitude: 2,
        relevantText: 'Near, A/1 & 2',
        localizedRelevantText: { de: 'Nah, A/1 & 2' },
      },
    ]);
  });

  test.each([
    ['https://shop.example/{userProvidedId}?a={unknown}', 'https://shop.example/A%2F1%20%26%202?a={unknown}'],
    ['https://shop.example/?to={emailRecipient}', 'https://shop.example/?to=ada%2Bx%40example.com'],
    ['tel:{phoneRecipient}', 'tel:+43%201'],
    ['mailto:{emailRecipient}?subject={userProvidedId}', 'mailto:ada+x@example.com?subject=A%2F1%20%26%202'],
  ])('in the link %s result in %s', (url, filled) => {
    expect(cardOf({ links: [{ label: '', url }] }).links[0]!.url).toBe(filled);
  });

  test('do not turn invalid links into links', () => {
    const { error } = TemplateDefinition.safeParse(sampleTemplate({ links: [{ label: '', url: '{userProvidedId}' }] }));
    expect(error?.issues[0]?.path).toEqual(['links', 0, 'url']);
  });
});

describe('a pass’s own fields', () => {
  test('are not shown by a template that does not allow them', () => {
    const card = cardOf({ type: 'eventTicket', translationsEnabled: true });
    expect([card.images, card.localizedBackgrounds, card.groupingIdentifier]).toEqual([{}, {}, undefined]);
  });

  test('are shown as far as the template allows them', () => {
    const perPassImages = { logo: true, background: true };
    const card = cardOf({ type: 'eventTicket', groupingIdentifierEnabled: true, images: { perPassImages } });
    expect([card.images, card.localizedBackgrounds, card.groupingIdentifier]).toEqual([{ logo: IMAGE }, {}, 'tour']);
    const translated = cardOf({ type: 'eventTicket', translationsEnabled: true, images: { perPassImages } });
    expect(translated.localizedBackgrounds).toEqual({ de: IMAGE });
  });
});

test.each([
  ['Club', 'Card of {Name}', 'Club', 'Card of '],
  ['Club', '{Name}', 'Club', 'Club'],
  ['{Name}', '{Name}', 'Gold', 'Gold'],
])('texts that wallets require, %j and %j, are not empty without values', (organizationName, description, ...shown) => {
  const additionalProperties = [{ name: 'Name', type: 'text' as const }];
  const card = cardOf({ name: 'Gold', organizationName, description, additionalProperties });
  expect([card.organizationName, card.description]).toEqual(shown);
});

test.each([
  ['12.50', 12.5],
  ['-7', -7],
  ['9007199254740991', 9007199254740991],
  ['12345678901234567', '12345678901234567'],
  ['1e400', '1e400'],
  ['12,50', '12,50'],
  [' ', ' '],
])('the value %j of a number is %j', (value, shown) => {
  const { fields } = cardOf({ fields: { headerFields: [{ key: 'a', type: 'number', value }] } });
  expect(fields.headerFields[0]!.value).toBe(shown);
});

test('a stored language that no runtime supports is not shown', () => {
  const { translations } = cardOf({ translationsEnabled: true }, { 'en-a1': { a: 'b' }, de: { a: 'c' } });
  expect(Object.keys(translations)).toEqual(['de']);
});

describe('passes of one definition', () => {
  const parsed = TemplateDefinition.parse(
    sampleTemplate({ translationsEnabled: true, translations: { de: { Member: 'Mitglied' } } }),
  ) as unknown as StoredDefinition;
  const images = { ...parsed.images, logo: { ...IMAGE, sha256: 'template' } };
  images.perPassImages = { logo: true, thumbnail: false, background: false };
  const card = (definition: StoredDefinition, appearance: object) =>
    resolveCard({
      account: { id: 'account', timezone: 'UTC', language: 'en' },
      pass: { ...PASS, appearance } as Pass,
      definition,
      templateVersion: 1,
      links: { baseUrl: 'https://passes.example', env: {} as Env },
    });

  test('share images and translations, and none gets another one’s image', () => {
    const definition = { ...parsed, images };
    const [first, own, last] = [{}, PASS.appearance, {}].map((appearance) => card(definition, appearance));
    expect(own!.images.logo).toBe(IMAGE);
    expect(first!.images.logo?.sha256).toBe('template');
    expect(last!.images).toBe(first!.images);
    expect(last!.translations).toBe(own!.translations);
    expect(last!.translations).toEqual({ de: { Member: 'Mitglied' } });
  });

  test('have their own translations if these contain placeholders', () => {
    const definition = { ...parsed, translations: { de: { Member: '{userProvidedId}' } } };
    const [one, other] = ['1', '2'].map((userProvidedId) =>
      resolveCard({
        account: { id: 'account', timezone: 'UTC', language: 'en' },
        pass: { ...PASS, userProvidedId } as Pass,
        definition,
        templateVersion: 1,
        links: { baseUrl: 'https://passes.example', env: {} as Env },
      }),
    );
    expect([one!.translations.de?.Member, other!.translations.de?.Member]).toEqual(['1', '2']);
  });
});

describe('dates of a template with a time zone', () => {
  const dateField = (value: string, ignoresTimezone: boolean) => {
    const item = { key: 'at', type: 'date' as const, label: '', value, ignoresTimezone };
    return cardOf({ timezone: 'Europe/Berlin', fields: { backFields: [item] } }).fields.backFields[0]!.value;
  };

  test.each([
    ['2027-06-18 20:00', false, '2027-06-18T20:00:00+02:00'],
    ['2027-06-18 20:00', true, '2027-06-18T20:00:00+02:00'],
    ['2027-06-18', true, '2027-06-18T00:00:00+02:00'],
    // Berlin skips this hour, but a flight may arrive then elsewhere, and the local time there is shown.
    ['2027-03-28T02:30', true, '2027-03-28T02:30:00Z'],
  ])('%s, ignoring the zone of the phone: %s, is %s', (text, ignoresTimezone, iso) => {
    expect(dateField(text, ignoresTimezone)).toBe(iso);
  });

  test('are interpreted in it if they are in the definition', () => {
    const card = cardOf({ timezone: 'Europe/Berlin', relevantDate: '2027-06-18 20:00' });
    expect([card.timezone, card.relevantAt]).toEqual(['Europe/Berlin', Date.UTC(2027, 5, 18, 18)]);
  });
});
