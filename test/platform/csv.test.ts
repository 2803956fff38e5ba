import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine, decodeText, guardFormulas, parseCsv, unguardFormulas } from '../../src/platform/csv.ts';

const cells = async (text: string) => (await parseCsv(text)).rows.map((row) => row.cells);
const bytes = (text: string, encoding: BufferEncoding) => Uint8Array.from(Buffer.from(text, encoding)).buffer;

test.each([',', ';', '\t', '|'])('detects the separator %j', async (separator) => {
  expect(await cells(`${['a', 'b'].join(separator)}\r\n${['1', '"x\ny"'].join(separator)}`)).toEqual([
    ['a', 'b'],
    ['1', 'x\ny'],
  ]);
});

test('reads one column, quotes within quotes and marks of byte order', async () => {
  expect(await cells('\uFEFFname\n"Ada ""A"" L"\n')).toEqual([['name'], ['Ada "A" L']]);
});

test('omits empty rows and numbers the others like a spreadsheet', async () => {
  expect((await parseCsv('a,b\n\n , \n1,2')).rows.map(({ number }) => number)).toEqual([1, 4]);
});

test('reports where quotes are broken', async () => {
  expect((await parseCsv('a,b\n"x,y\n')).problems).toEqual([expect.stringMatching(/^row \d+: .*quote/i)]);
});

test('reads a file of several megabytes, whatever is at the borders of its pieces', async () => {
  const rows = Array.from({ length: 40_000 }, (_, i) => [
    `${i}`,
    `say "${'x'.repeat(i % 60)}"`,
    `two\r\nlines, ${i}`,
    '',
  ]);
  const text = rows.map((row) => csvLine(row)).join('');
  expect(text.length).toBeGreaterThan(2 * 1024 * 1024);
  expect(await cells(text)).toEqual(rows);
});

test('counts rows beyond the maximum without keeping them', async () => {
  const { rows, count } = await parseCsv(`a,b\n\n${'1,2\n'.repeat(1_000)}`, 11);
  expect([rows.length, count, rows.at(-1)!.number]).toEqual([11, 1_001, 12]);
});

const MARKS = ['has more than 4000000 separators or quotes'];

test.each([
  ['empty lines', '\n', 1_500_000, []],
  ['separators', ',', 4_000_001, MARKS],
  ['quotes', '"', 4_000_001, MARKS],
  ['broken quotes', '"a"b', 100_002, MARKS],
  ['cells', 'a,', 2_000_001, ['row 1: more than 2000000 cells up to here']],
])('keeps at most 2,000,000 cells in memory of a file of %s', async (_, piece, times, problems) => {
  const parsed = await parseCsv(piece.repeat(times), 10_001);
  expect(parsed.problems).toEqual(problems);
  expect(parsed.rows.length).toBeLessThanOrEqual(1);
});

test('decodes what spreadsheets write', () => {
  expect(decodeText(bytes('Jürgen', 'utf8'))).toBe('Jürgen');
  expect(decodeText(bytes('Jürgen', 'latin1'))).toBe('Jürgen');
  expect(decodeText(bytes('\uFEFFJürgen', 'utf16le'))).toBe('Jürgen');
});

test('writes no formulas, and quotes what needs it', () => {
  expect(csvLine(['=1+1', '+1', '-1', '@x', '\tx', '\rx', -1, true, null, 'a,b', 'a"b', ' a'])).toBe(
    `'=1+1,'+1,'-1,'@x,'\tx,"'\rx",-1,true,,"a,b","a""b"," a"\r\n`,
  );
});

test('reads back what it has written', async () => {
  const row = ['plain', 'two\nlines', 'a;b,c', '"quoted"', 'ünï'];
  expect((await cells(csvLine(['h1', 'h2', 'h3', 'h4', 'h5']) + csvLine(row)))[1]).toEqual(row);
});

const dangerous = fc.array(fc.constantFrom('=', '+', '@', ';', ',', '\t', '|', '"', "'", ' ', '\r', '\n', 'A1', '＝'), {
  maxLength: 12,
});

test('has no executable cell, whatever separator a program uses', () => {
  fc.assert(
    fc.property(dangerous, (pieces) => {
      const line = csvLine(['x', pieces.join(''), 'y']);
      for (const separator of [',', ';', '\t', '|']) {
        for (const cell of line.split(/[\r\n]/).flatMap((row) => row.split(separator))) {
          expect(cell, line).not.toMatch(/^[ "\u00a0]*[=+@＝]/);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

test('restores escaped texts', () => {
  fc.assert(
    fc.property(dangerous, (pieces) => {
      const text = pieces.join('');
      expect(unguardFormulas(guardFormulas(text))).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

test('disarms the formula in a scanned code for semicolon separators, too', () => {
  expect(csvLine(['1;=HYPERLINK(A1);2'])).toBe("1;'=HYPERLINK(A1);2\r\n");
});
