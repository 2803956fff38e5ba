import { type SQL, sql } from 'drizzle-orm';

/*
 * Forms of texts, numbers and dates that SQLite reads and writes exactly as the service does: how it reads them in SQL,
 * and whether a value has such a form. `pass-document.ts` keeps what has another one.
 */

/** Whether SQLite's `lower` makes this of a text: it changes ASCII letters alone. */
export function isPlainFold(text: string, folded: string): boolean {
  return folded === text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Characters up to which SQLite reads and writes a number exactly as JavaScript does. */
const NUMBER_CHARS_MAX = 15;

/** The number that `numberIn` reads in a text; null: none. */
export function plainNumber(text: string): number | null {
  return text.length <= NUMBER_CHARS_MAX && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

/** SQL for the number in a text of a plain form, otherwise null. */
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

/** SQL for the date in a text of a plain form as UTC milliseconds, otherwise null. */
export function dateIn(text: SQL): SQL {
  const spaced = sql`replace(${text}, 'T', ' ')`;
  const forms = ['%Y-%m-%d', '%Y-%m-%d %H:%M', '%Y-%m-%d %H:%M:%S'];
  // A day that does not exist comes back as another one; an hour does not.
  const same = forms.map((form) => sql`strftime(${sql.raw(`'${form}'`)}, ${spaced})`);
  return sql`iif(${spaced} in (${sql.join(same, sql`, `)}) and ${spaced} not glob '* 24*', unixepoch(${spaced}) * 1000, null)`;
}

/** SQL for a number as a text: without a fraction that is zero. */
export function numberText(column: SQL): SQL {
  const whole = sql`cast(${column} as integer)`;
  return sql`case ${column} when ${whole} then cast(${whole} as text) else cast(${column} as text) end`;
}

/** Whether `numberText` writes a number as JavaScript does. */
export function isPlainText(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && !Object.is(value, -0);
  return Math.abs(value) >= 0.001 && String(value).length <= NUMBER_CHARS_MAX && !String(value).includes('e');
}
