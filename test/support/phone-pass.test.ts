import { describe, expect, test } from 'vitest';
import { zipStore } from '../../src/platform/zip.ts';
import { differenceBetween, type HeldPass, openBundle, openPass, type PassField, shownFields } from './phone-pass.ts';

const pack = (files: Record<string, string>) =>
  Buffer.from(zipStore(Object.entries(files).map(([name, text]) => ({ name, bytes: Buffer.from(text) }))));

function passFile(backFields: PassField[], members: object = {}, files: Record<string, string> = {}): Buffer {
  const content = {
    passTypeIdentifier: 'pass.a',
    serialNumber: '1',
    organizationName: 'A',
    ...members,
    generic: { backFields },
  };
  return pack({ 'pass.json': JSON.stringify(content), 'manifest.json': '{}', ...files });
}

const passOf = (...given: Parameters<typeof passFile>): HeldPass => openPass(passFile(...given));
const text = (value: string, changeMessage?: string): PassField => ({
  key: 'gate',
  label: 'Gate',
  value,
  changeMessage,
});
const textsOf = (fields: PassField[], language = 'en') =>
  shownFields(passOf(fields), language).map((field) => field.text);

describe('what a phone shows of a pass', () => {
  test('includes numbers, currencies and dates in the format of its language', () => {
    const date = {
      key: 'd',
      value: '2027-05-14T09:40:00+02:00',
      dateStyle: 'PKDateStyleMedium',
      timeStyle: 'PKDateStyleShort',
      ignoresTimeZone: true,
    };
    const fields: PassField[] = [
      { key: 'n', value: 1234.5 },
      { key: 'p', value: 0.25, numberStyle: 'PKNumberStylePercent' },
      { key: 'c', value: 12.5, currencyCode: 'EUR' },
      date,
      { ...date, key: 'o', timeStyle: 'PKDateStyleNone' },
      { key: 't', value: '2027-05-14' },
    ];
    const plain = (texts: string[]) => texts.map((one) => one.replaceAll(/\s/g, ' '));
    expect(plain(textsOf(fields))).toEqual([
      '1,234.5',
      '25%',
      '€12.50',
      'May 14, 2027, 9:40 AM',
      'May 14, 2027',
      '2027-05-14',
    ]);
    expect(plain(textsOf(fields, 'de')).slice(0, 4)).toEqual(['1.234,5', '25 %', '12,50 €', '14.05.2027, 09:40']);
  });

  test('is translated if the pass is: by language and region, or by language', () => {
    const fields = [{ key: 'gate', label: 'Gate', value: 'open', changeMessage: 'Now %@' }];
    const pass = passOf(
      fields,
      {},
      {
        'de.lproj/pass.strings': '"Gate" = "Flugsteig";\n"open" = "offen";\n"Now %@" = "Jetzt %@";\n',
        'de-AT.lproj/pass.strings': '"Gate" = "Ausgang";\n',
      },
    );
    const shown = (language: string) =>
      shownFields(pass, language).map(({ label, text, changeMessage }) => [label, text, changeMessage]);
    expect(shown('de')).toEqual([['Flugsteig', 'offen', 'Jetzt %@']]);
    expect(shown('de-CH')).toEqual([['Flugsteig', 'offen', 'Jetzt %@']]);
    expect(shown('de-AT')).toEqual([['Ausgang', 'open', 'Now %@']]);
    expect(shown('fr')).toEqual([['Gate', 'open', 'Now %@']]);
  });

  test('is the same from a bundle as from single files', () => {
    const bundle = zipStore(['A1', 'B2'].map((gate) => ({ name: `${gate}.pkpass`, bytes: passFile([text(gate)]) })));
    expect(
      openBundle(Buffer.from(bundle))
        .flatMap((pass) => shownFields(pass, 'en'))
        .map((field) => field.text),
    ).toEqual(['A1', 'B2']);
  });

  test.each([
    [pack({ 'manifest.json': '{}' }), 'no pass.json'],
    [pack({ 'pass.json': '{}' }), 'no style'],
    [Buffer.from('<html>'), 'not a ZIP archive'],
  ])('is nothing for an invalid pass', (file, message) => {
    expect(() => openPass(file)).toThrow(message);
  });
});

describe('the changes of an update', () => {
  const difference = (before: HeldPass, after: HeldPass) => differenceBetween(before, after, 'en');

  test('are the changed fields, and the change message with the exact value', () => {
    expect(difference(passOf([text('A1', 'Gate %@')]), passOf([text('$& B2', 'Gate %@')]))).toEqual({
      changes: [{ key: 'gate', label: 'Gate', from: 'A1', to: '$& B2' }],
      messages: ['Gate $& B2'],
    });
  });

  test('have messages only for existing fields with a change message', () => {
    expect(difference(passOf([text('A1')]), passOf([text('B2')])).messages).toEqual([]);
    expect(difference(passOf([]), passOf([text('B2', 'Gate %@')]))).toEqual({
      changes: [{ key: 'gate', label: 'Gate', from: undefined, to: 'B2' }],
      messages: [],
    });
    expect(difference(passOf([text('A1', 'Gate %@')]), passOf([text('A1', 'Now %@')]))).toEqual({
      changes: [],
      messages: [],
    });
    expect(difference(passOf([text('A1', 'Gate %@')]), passOf([]))).toEqual({
      changes: [{ key: 'gate', label: 'Gate', from: 'A1' }],
      messages: [],
    });
  });

  test('include every other member that differs, by its path, and every file', () => {
    const manifest = (icon: string) => ({ 'manifest.json': JSON.stringify({ 'pass.json': icon, 'icon.png': icon }) });
    const before = passOf([], { semantics: { seats: [{ seatNumber: '1A' }] } }, manifest('0123456789'));
    const after = passOf([], { voided: true, semantics: { seats: [{ seatNumber: '2B' }] } }, manifest('abcdefghij'));
    expect(difference(before, after).changes).toEqual([
      { key: 'semantics.seats.0.seatNumber', label: 'semantics.seats.0.seatNumber', from: '1A', to: '2B' },
      { key: 'voided', label: 'voided', from: undefined, to: 'true' },
      { key: 'icon.png', label: 'icon.png', from: '01234567', to: 'abcdefgh' },
    ]);
  });
});
