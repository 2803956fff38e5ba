import { describe, expect, test } from 'vitest';
import type { Location } from '../../../src/domain/fields.ts';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import { buildPassJson } from '../../../src/wallets/apple/pass-json.ts';
import { locationTexts, passStrings, passStringsFiles } from '../../../src/wallets/apple/strings.ts';
import { readAirports } from '../../support/airports.ts';
import { sampleCard } from '../../support/card.ts';
import { decodeStrings } from './tools.ts';

function tables(overrides: Partial<Card>): Record<string, Record<string, string>> {
  const card = sampleCard('generic', { locations: [], ...overrides });
  return Object.fromEntries([...passStrings(card)].map(([language, file]) => [language, decodeStrings(file)]));
}

describe('passStrings', () => {
  test('gives each language the same keys, and the card its own language', () => {
    const translations = { de: { Member: 'Mitglied', Section: '' }, 'pt-BR': { Rowing: 'Remo' } };
    expect(tables({ translations })).toEqual({
      de: { Member: 'Mitglied', Section: 'Section', Rowing: 'Rowing' },
      'pt-BR': { Member: 'Member', Section: 'Section', Rowing: 'Remo' },
      en: { Member: 'Member', Section: 'Section', Rowing: 'Rowing' },
    });
  });

  test('is empty without translations', () => {
    expect(tables({ translations: {} })).toEqual({});
  });

  test('is ASCII if possible, otherwise UTF-16 with a byte order mark', () => {
    const files = passStrings(
      sampleCard('generic', { translations: { de: { Size: 'Größe 😀' }, fr: { Size: 'Taille' } } }),
    );
    expect([...files.get('de')!.subarray(0, 4)]).toEqual([0xff, 0xfe, 0x22, 0x00]);
    expect(decodeStrings(files.get('de')!)).toMatchObject({ Size: 'Größe 😀' });
    expect(new TextDecoder('ascii').decode(files.get('fr'))).toContain('"Size" = "Taille";\n');
  });

  test('escapes quotes, backslashes and breaks', () => {
    const text = 'a "b" \\ c\nd\re\tf';
    const files = passStrings(sampleCard('generic', { locations: [], translations: { de: { [text]: `${text}!` } } }));
    expect(new TextDecoder().decode(files.get('de'))).toBe(
      '"a \\"b\\" \\\\ c\\nd\\re\\tf" = "a \\"b\\" \\\\ c\\nd\\re\\tf!";\n',
    );
  });

  test('contains texts that are names of object members', () => {
    expect(tables({ translations: { de: { constructor: 'Erbauer' } } }).en).toEqual({ constructor: 'constructor' });
  });

  test('is bounded, however few of its texts each language translates', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `de-x${String(i).padStart(7, '0')}`);
    const texts = Object.fromEntries('abcde'.split('').map((text) => [text.repeat(10_000), '"']));
    const one = { A: 'B' };
    const translations = { fr: texts, ...Object.fromEntries(many(2_000).map((language) => [language, one])) };
    const files = passStrings(sampleCard('generic', { locations: [], translations }));
    expect([...files.values()].reduce((sum, { length }) => sum + length, 0)).toBeLessThan(10_000_000);
    expect(files.size).toBeLessThan(65);
    expect([...files.keys()][0]).toBe('fr');
    const relevantText = Object.keys(texts)[0]!;
    const localizedRelevantText = Object.fromEntries(many(2_000).map((language) => [language, 'B']));
    const locations = [{ latitude: 0, longitude: 0, relevantText, localizedRelevantText }];
    expect(passStrings(sampleCard('generic', { locations, translations: {} })).size).toBeLessThan(65);
  });

  test('translates the texts of locations, even if nothing else is translated', () => {
    const locations: Location[] = [
      { latitude: 0, longitude: 0, relevantText: 'Hello', localizedRelevantText: { de: 'Hallo' } },
      { latitude: 1, longitude: 1, localizedRelevantText: { en: 'Bye', de: 'Tschüss' } },
      { latitude: 2, longitude: 2, relevantText: 'Untranslated' },
    ];
    expect(tables({ locations, translations: {} })).toEqual({
      de: { Hello: 'Hallo', Bye: 'Tschüss' },
      en: { Hello: 'Hello', Bye: 'Bye' },
    });
  });
});

test('places with the same text keep their own translations', async () => {
  const place = (relevantText: string, localizedRelevantText: Record<string, string>): Location => ({
    latitude: 0,
    longitude: 0,
    relevantText,
    localizedRelevantText,
  });
  const locations = [
    place('Hello', { de: 'Hallo' }),
    place('Hello', { de: 'Moin' }),
    place('Hello', { de: 'Moin', fr: 'Salut' }),
    place('Member', { de: 'Gast' }),
    place('Gate', { de: 'Tor' }),
  ];
  const card = sampleCard('generic', { locations, translations: { de: { Member: 'Mitglied', Gate: 'Tor' } } });
  const { de } = tables({ locations, translations: card.translations });
  const texts = locationTexts(card).map(({ text }) => text);
  expect(texts.map((text) => de![text!])).toEqual(['Hallo', 'Moin', 'Moin', 'Gast', 'Tor']);
  expect(texts.map((text) => text!.replaceAll('\u200b', ''))).toEqual(
    locations.map((location) => location.relevantText),
  );
  expect([texts[0], texts[4], de!.Member]).toEqual(['Hello', 'Gate', 'Mitglied']);
  const signing = { passTypeId: 'pass.com.example.test', teamId: 'ABCDE12345', readAirports };
  const { locations: shown } = await buildPassJson(card, signing);
  expect(shown).toMatchObject(texts.map((relevantText) => ({ relevantText })));
});

describe('passStringsFiles', () => {
  const location = { latitude: 1, longitude: 2, relevantText: 'Near' };

  test('are created once for passes that share their translations, and again for other texts of places or another language', () => {
    const card = sampleCard('generic', { translations: { de: { Member: 'Mitglied' } }, locations: [] });
    const files = passStringsFiles(card);
    expect(files.map(({ language, bytes }) => [language, bytes])).toEqual([...passStrings(card)]);
    expect(passStringsFiles({ ...card, id: 'another' })).toBe(files);
    const near = { ...card, locations: [{ ...location, localizedRelevantText: { de: 'In der Nähe' } }] };
    const places = passStringsFiles(near);
    expect(places.map(({ bytes }) => bytes)).toEqual([...passStrings(near).values()]);
    expect(places).not.toEqual(files);
    expect(passStringsFiles({ ...card, language: 'fr' }).map(({ language }) => language)).toEqual(['de', 'fr']);
    expect(passStringsFiles(card)).toEqual(files);
  });
});
