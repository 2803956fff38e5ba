/** A row of a file, with its number in spreadsheets. */
export interface CsvRow {
  number: number;
  cells: string[];
}

/** The nonempty rows of a file. */
export interface ParsedCsv {
  /** At most `rowsMax`. */
  rows: CsvRow[];
  /** Number of all of them. */
  count: number;
  /** Problems of the file itself, such as an unclosed quote. */
  problems: string[];
}

/** A file is parsed in pieces, so that its empty rows and its problems aren't in memory at the same time. */
const PIECE_CHARS = 1024 * 1024;
/** Cells in memory. A cell takes up to 30 bytes in addition to its text. */
const CELLS_MAX = 2_000_000;
/** Separators and quotes: also of empty rows, and of a single row, which is parsed as a whole. */
const MARKS_MAX = 4_000_000;
/** Quotes in the middle of texts, each of which can be a problem of the same row. */
const INNER_QUOTES_MAX = 100_000;
const PROBLEMS_MAX = 20;

/**
 * Parses CSV with any common separator (comma, semicolon, tab, bar), line ending and quoting. Drops a byte order mark.
 * Returns the first `rowsMax` rows, and only a problem for a file that would take too much memory or time.
 */
export async function parseCsv(text: string, rowsMax = Number.POSITIVE_INFINITY): Promise<ParsedCsv> {
  const { default: Papa } = await import('papaparse');
  const rows: CsvRow[] = [];
  const problems: string[] = [];
  let [number, count, cells] = [0, 0, 0];
  if (hasTooManyMarks(text)) return { rows, count, problems: [`has more than ${MARKS_MAX} separators or quotes`] };
  Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
    delimitersToGuess: [...SEPARATORS],
    chunkSize: PIECE_CHARS,
    step({ data, errors }, parser) {
      number++;
      const broken = errors.filter(({ type }) => type === 'Quotes').slice(0, PROBLEMS_MAX);
      problems.push(...broken.map(({ message }) => `row ${number}: ${message}`));
      if (data.some((cell) => cell.trim() !== '') && ++count <= rowsMax) {
        cells += data.length;
        if (cells > CELLS_MAX) problems.push(`row ${number}: more than ${CELLS_MAX} cells up to here`);
        rows.push({ number, cells: data });
      }
      if (cells > CELLS_MAX || problems.length >= PROBLEMS_MAX) parser.abort();
    },
  });
  return { rows, count, problems };
}

const SEPARATORS = [',', ';', '\t', '|'] as const;
const INNER_QUOTE = /[^,;\t|\r\n"]"(?=[^,;\t|\r\n"])/g;

function hasTooManyMarks(text: string): boolean {
  const isTooMany = [...SEPARATORS, '"'].some((mark) => timesIn(text, mark) > MARKS_MAX);
  if (isTooMany) return true;
  let inner = 0;
  for (const _ of text.matchAll(INNER_QUOTE)) if (++inner > INNER_QUOTES_MAX) return true;
  return false;
}

function timesIn(text: string, mark: string): number {
  let times = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) times++;
  return times;
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
