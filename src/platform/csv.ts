/** A row of a file, with its number in spreadsheets. */
export interface CsvRow {
  number: number;
  cells: string[];
}

/** The nonempty rows of a file. */
export interface ParsedCsv {
  rows: CsvRow[];
  /** Problems of the file itself, such as an unclosed quote. */
  problems: string[];
}

/**
 * Parses CSV with any common separator (comma, semicolon, tab, bar), line ending and quoting. Drops a byte order mark.
 */
export async function parseCsv(text: string): Promise<ParsedCsv> {
  const { default: Papa } = await import('papaparse');
  const { data, errors } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
    delimitersToGuess: [',', ';', '\t', '|'],
  });
  const rows = data
    .map((cells, i) => ({ number: i + 1, cells }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const broken = errors.filter(({ type }) => type === 'Quotes');
  return { rows, problems: broken.map(({ row, message }) => `row ${(row ?? 0) + 1}: ${message}`) };
}

/**
 * Decodes a file as UTF-8, as UTF-16 with a byte order mark, or else as Windows-1252, which older spreadsheets write.
 */
export function decodeText(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/**
 * Start of a formula in a cell (OWASP, "CSV Injection"). Programs may split at other separators despite quotes, so each
 * separator in a text can start a cell.
 */
const FORMULA = /(?<=^|[;,\t|\r\n])(?=[ "'\u00a0]*[=+\-@\t\r＝＋－＠])/g;
const GUARDED_FORMULA = /(?<=^|[;,\t|\r\n])'(?=[ "'\u00a0]*[=+\-@\t\r＝＋－＠])/g;
const NEEDS_QUOTES = /[",\r\n]/;

/** Puts an apostrophe before each formula in a text, so that spreadsheets show it as text. */
export function guardFormulas(text: string): string {
  return text.replace(FORMULA, "'");
}

/** Reverses `guardFormulas`. */
export function unguardFormulas(text: string): string {
  return text.replace(GUARDED_FORMULA, '');
}

type Cell = string | number | boolean | null | undefined;

/** Returns a line for spreadsheets with its line ending. Formulas are guarded by an apostrophe. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: Cell): string {
  if (typeof value === 'number') return String(value);
  const text = String(value ?? '');
  const safe = guardFormulas(text);
  return NEEDS_QUOTES.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Byte order mark, by which spreadsheets recognize UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Streams a file for spreadsheets while its pages are read: headings, then a line per item. */
export function csvStream<Item>(
  headings: readonly string[],
  pages: AsyncIterator<readonly Item[]>,
  cellsOf: (item: Item) => readonly Cell[],
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let lead = BYTE_ORDER_MARK + csvLine(headings);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await pages.next();
      const lines = done ? '' : value.map((one: Item) => csvLine(cellsOf(one))).join('');
      if (lead || lines) controller.enqueue(encoder.encode(lead + lines));
      lead = '';
      if (done) controller.close();
    },
  });
}
