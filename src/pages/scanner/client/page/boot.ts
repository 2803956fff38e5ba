import type { ScannerBoot } from '../../protocol.ts';
import { element } from './elements.ts';

/** What the server has handed to the page. */
export const boot: ScannerBoot = JSON.parse(element('boot').textContent ?? '');

/** A text in the language of the page, with its `{…}` filled. */
export function word(name: string, values: Record<string, string | number> = {}): string {
  const text = boot.words[name] ?? name;
  return text.replaceAll(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));
}

const clock = new Intl.DateTimeFormat(boot.language, { timeStyle: 'short' });
const calendar = new Intl.DateTimeFormat(boot.language, { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat(boot.language, { dateStyle: 'medium' });
const number = new Intl.NumberFormat(boot.language);

/** A time as people say it: the hour when it is today, otherwise with its date. */
export function timeText(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return (isToday ? clock : calendar).format(at);
}

/** A local date and time of the account, `Y-m-dTH:i`, as people write it, on one line; at midnight the date alone. */
export function localDateText(local: string): string {
  const text = (local.endsWith('T00:00') ? days : calendar).format(new Date(local));
  return text.replaceAll(' ', '\u00a0');
}

export function numberText(value: number): string {
  return number.format(value);
}
