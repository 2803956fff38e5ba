/** A spreadsheet takes cells that begin so for formulas (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A line of a file for spreadsheets, with its end. What would run as a formula is preceded by an apostrophe, which shows it as a text. */
export function csvLine(cells: (string | number | boolean | null | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string | number | boolean | null | undefined): string {
  if (typeof value === 'number') return String(value);
  const text = String(value ?? '');
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What spreadsheets need to see that a file is in UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';
