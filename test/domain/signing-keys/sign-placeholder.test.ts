import { describe, expect, test } from 'vitest';
import { fillPlaceholders, type PlaceholderSource } from '../../../src/domain/passes/card/placeholders.ts';

/** A signer that returns its input. */
const signer = { keyId: 'key', sign: (text: string) => `<${text}>` };

const source = {
  pass: {
    userProvidedId: 'order-1',
    barcodeValue: 'CODE',
    storedValue: null,
    properties: { p1: '12A', p2: '){sign(x)}' },
  },
  definition: {
    additionalProperties: [
      { id: 'p1', name: 'Seat (row)' },
      { id: 'p2', name: 'Note' },
    ],
  },
  timezone: 'UTC',
  baseUrl: 'https://passes.example',
  signer,
} as unknown as PlaceholderSource;

const fill = (text: string) => fillPlaceholders(text, source);

describe('{sign()}', () => {
  test.each([
    ['signs a text', 'a {sign(plain)} b', 'a <plain> b'],
    ['signs what placeholders in it become', '{sign({userProvidedId}-{Seat (row)})}', '<order-1-12A>'],
    ['leaves unknown placeholders in it as written', '{sign({unknown}!)}', '<{unknown}!>'],
    ['signs the barcode value when it is empty', '{sign()}', '<CODE>'],
    ['signs the barcode value when what is in it is empty', '{sign({storedValue})}', '<CODE>'],
    ['keeps parentheses in its text', '{sign(f(x) = (y))}', '<f(x) = (y)>'],
    ['can stand in itself', '{sign(a{sign(b)})}', '<a<b>>'],
    ['can stand beside others', '{sign(a)}{userProvidedId}{sign(b)}', '<a>order-1<b>'],
    ['stays as written when it is not closed', '{sign({userProvidedId}', '{sign(order-1'],
    ['stays as written around one that is closed', '{sign(a {sign(b)}', '{sign(a <b>'],
    ['does not take an end without a beginning', 'a )} {userProvidedId}', 'a )} order-1'],
    ['never reads the value of a property as a placeholder', '{sign({Note})} {Note}', '<){sign(x)}> ){sign(x)}'],
    ['is no placeholder with another name', '{signed(a)} {sign}', '{signed(a)} {sign}'],
  ])('%s', (_, text, filled) => {
    expect(fill(text)).toBe(filled);
  });

  test('takes time in proportion to the text, however many are open', () => {
    const open = '{sign('.repeat(1_600);
    const startedAt = performance.now();
    expect(fill(open)).toBe(open);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  test('fails if no signer was loaded, rather than showing nothing', () => {
    expect(() => fillPlaceholders('{sign(a)}', { ...source, signer: undefined })).toThrow('signer');
  });
});
