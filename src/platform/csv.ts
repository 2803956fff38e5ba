/** A row of a file, with the number that a spreadsheet shows for it. */
export interface CsvRow {
  number: number;
  cells: string[];
}

/** The rows of a file that hold anything. */
export interface ParsedCsv {
  rows: CsvRow[];
  /** A fault of the file itself, such as a quote that never ends. */
  problems: string[];
}

/**
 * Reads comma-separated values, whatever the separator (comma, semicolon, tab, bar), line ends and quotes; a byte order
 * mark is dropped.
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
 * The text of a file: UTF-8, or UTF-16 with its mark, or else what older spreadsheets write in the West (Windows-1252).
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
 * Where a cell begins as a formula (OWASP, "CSV Injection"). Programs split at different separators, whatever quotes
 * say, so each one in a text may begin a cell.
 */
const FORMULA = /(?<=^|[;,\t|\r\n])(?=[ "'\u00a0]*[=+\-@\t\r＝＋－＠])/g;
const GUARDED_FORMULA = /(?<=^|[;,\t|\r\n])'(?=[ "'\u00a0]*[=+\-@\t\r＝＋－＠])/g;
const NEEDS_QUOTES = /[",\r\n]/;

/** A text with an apostrophe before each formula in it, which makes spreadsheets show it as it is. */
export function guardFormulas(text: string): string {
  return text.replace(FORMULA, "'");
}

/** The text behind `guardFormulas`. */
export function unguardFormulas(text: string): string {
  return text.replace(GUARDED_FORMULA, '');
}

type Cell = string | number | boolean | null | undefined;

/** A line of a file for spreadsheets, with its end. What would run as a formula is preceded by an apostrophe. */
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

/** A file for spreadsheets that is sent while its pages are being read: headings, then a line for each item. */
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
