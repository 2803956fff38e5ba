import type { ScannerBoot } from '../../protocol.ts';
import { element } from './elements.ts';

/** Data from the server in the page. */
export const boot: ScannerBoot = JSON.parse(element('boot').textContent ?? '');

/** Returns a text in the page's language with its `{…}` filled in. */
export function word(name: string, values: Record<string, string | number> = {}): string {
  const text = boot.words[name] ?? name;
  return text.replaceAll(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));
}

const clock = new Intl.DateTimeFormat(boot.language, { timeStyle: 'short' });
const calendar = new Intl.DateTimeFormat(boot.language, { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat(boot.language, { dateStyle: 'medium' });
const number = new Intl.NumberFormat(boot.language);

/** Formats a time: only the time if it is today, otherwise with its date. */
export function timeText(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return (isToday ? clock : calendar).format(at);
}

/** Formats a local date and time of the account, `Y-m-dTH:i`, on one line. Midnight shows only the date. */
export function localDateText(local: string): string {
  const text = (local.endsWith('T00:00') ? days : calendar).format(new Date(local));
  return text.replaceAll(' ', '\u00a0');
}

export const numberText = (value: number): string => number.format(value);
