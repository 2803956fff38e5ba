import { type SQL, sql } from 'drizzle-orm';

/*
 * Texts, numbers and dates in forms that SQLite reads and writes exactly as JavaScript does: how SQL reads them, and
 * whether a value has such a form. `pass-document.ts` stores the others.
 */

/** Whether SQLite's `lower` folds a text to this result: it changes only ASCII letters. */
export function isPlainFold(text: string, folded: string): boolean {
  return folded === text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Maximum length of a number that SQLite reads and writes exactly as JavaScript does. */
const NUMBER_CHARS_MAX = 15;

/** Returns the number that `numberIn` reads in a text; null: none. */
export function plainNumber(text: string): number | null {
  return text.length <= NUMBER_CHARS_MAX && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

/** Builds the number in a text of a plain form, otherwise null. */
export function numberIn(text: SQL): SQL {
  return sql`iif(length(${text}) <= ${sql.raw(String(NUMBER_CHARS_MAX))} and ${text} not glob '*[^-.0-9]*'
    and ${text} glob '*[0-9]' and (${text} glob '[0-9]*' or ${text} glob '-[0-9]*')
    and substr(${text}, 2) not glob '*-*' and ${text} not glob '*.*.*', cast(${text} as real), null)`;
}

/** Whether `dateIn` reads a text as this date (UTC milliseconds; null: none). */
export function isPlainDate(text: string, date: number | null): boolean {
  const form = /^(\d)\d{3}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?$/.exec(text);
  return form ? form[1] !== '0' : date === null;
}

/** Builds the date in a text of a plain form as UTC milliseconds, otherwise null. */
export function dateIn(text: SQL): SQL {
  const spaced = sql`replace(${text}, 'T', ' ')`;
  const forms = ['%Y-%m-%d', '%Y-%m-%d %H:%M', '%Y-%m-%d %H:%M:%S'];
  // SQLite turns a day that doesn't exist into another one, but leaves an invalid hour as it is.
  const same = forms.map((form) => sql`strftime(${sql.raw(`'${form}'`)}, ${spaced})`);
  return sql`iif(${spaced} in (${sql.join(same, sql`, `)}) and ${spaced} not glob '* 24*', unixepoch(${spaced}) * 1000, null)`;
}

/** Builds the text of a number, without a fraction of zero. */
export function numberText(column: SQL): SQL {
  const whole = sql`cast(${column} as integer)`;
  return sql`case ${column} when ${whole} then cast(${whole} as text) else cast(${column} as text) end`;
}

/** Whether `numberText` writes a number as JavaScript does. */
export function isPlainText(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && !Object.is(value, -0);
  return Math.abs(value) >= 0.001 && String(value).length <= NUMBER_CHARS_MAX && !String(value).includes('e');
}
