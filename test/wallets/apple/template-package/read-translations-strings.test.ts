import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { passStrings } from '../../../../src/wallets/apple/strings.ts';
import { readStrings, StringsError } from '../../../../src/wallets/apple/template-package/read-translations.ts';
import { randomRuns } from '../../../support/random-runs.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string, order: 'le' | 'be', mark = true) => {
  const marked = mark ? `\ufeff${text}` : text;
  const view = new DataView(new ArrayBuffer(marked.length * 2));
  for (let i = 0; i < marked.length; i++) view.setUint16(i * 2, marked.charCodeAt(i), order === 'le');
  return new Uint8Array(view.buffer);
};
const table = (bytes: Uint8Array) => Object.fromEntries(readStrings(bytes));

describe('texts of a pass.strings', () => {
  test.each([
    ['UTF-8', utf8],
    ['UTF-8 with a mark', (text: string) => utf8(`\ufeff${text}`)],
    ['UTF-16, little end first', (text: string) => utf16(text, 'le')],
    ['UTF-16, big end first', (text: string) => utf16(text, 'be')],
    ['UTF-16 without a mark, little end first', (text: string) => utf16(text, 'le', false)],
    ['UTF-16 without a mark, big end first', (text: string) => utf16(text, 'be', false)],
  ])('are read from %s', (_, encode) => {
    expect(table(encode('"Gate" = "Straße 漢字 🎫";'))).toEqual({ Gate: 'Straße 漢字 🎫' });
  });

  test('with comments, escapes, line breaks, bare keys and any whitespace', () => {
    const file = `/* first **/ // and "x" = "y";
      "a \\"quoted\\"" = "b\\n\\t\\\\";bare.key_1="v" ;
      "lines" = "one
two";
      /* "left" = "out"; */ "u" = "\\U00e9\\u00E9"; "alone"; "__proto__" = "p";
      "twice" = "1"; "twice" = "2";`;
    expect([...readStrings(utf8(file))]).toEqual([
      ['a "quoted"', 'b\n\t\\'],
      ['bare.key_1', 'v'],
      ['lines', 'one\ntwo'],
      ['u', 'éé'],
      ['alone', 'alone'],
      ['__proto__', 'p'],
      ['twice', '2'],
    ]);
  });

  test('may be empty', () => {
    expect(table(utf8(''))).toEqual({});
    expect(table(utf8('// nothing'))).toEqual({});
  });

  test.each([
    ['a missing semicolon', '"a" = "b"\n"c" = "d";', 'line 2 does not look like "key" = "value";'],
    ['a quote that never ends', '"a" = "b;', 'line 1 does not look like "key" = "value";'],
    ['a comment that never ends', '"a" = "b";\n/* x', 'line 2 does not look like "key" = "value";'],
    ['something else', '{"a": 1}', 'line 1 does not look like "key" = "value";'],
  ])('are rejected with %s', (_, file, message) => {
    expect(() => readStrings(utf8(file))).toThrow(new StringsError(message));
  });

  test('are rejected if they are compiled, or not text', () => {
    expect(() => readStrings(utf8('bplist00…'))).toThrow(/compiled/);
    expect(() => readStrings(new Uint8Array([0x22, 0xc3, 0x28]))).toThrow(/neither UTF-8 nor UTF-16/);
  });

  test('are read from our own files', () => {
    const texts = fc.dictionary(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.string({ unit: 'binary', minLength: 1 }),
    );
    fc.assert(
      fc.property(texts, (german) => {
        const files = passStrings({ translations: { de: german }, locations: [], language: 'en' });
        expect(readStrings(files.get('de')!)).toEqual(new Map(Object.entries(german)));
      }),
      randomRuns(300, 10_000),
    );
  });
});
