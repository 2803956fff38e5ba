import { readZip } from '../../scripts/read-zip.ts';
import { decodeStrings } from '../wallets/apple/tools.ts';

/** A field in pass.json. */
export interface PassField {
  key: string;
  label?: string;
  value: string | number;
  changeMessage?: string;
  currencyCode?: string;
  numberStyle?: string;
  dateStyle?: string;
  timeStyle?: string;
  ignoresTimeZone?: boolean;
}

export const LISTS = ['headerFields', 'primaryFields', 'secondaryFields', 'auxiliaryFields', 'backFields'] as const;
export type ListName = (typeof LISTS)[number];
const STYLES = ['boardingPass', 'coupon', 'eventTicket', 'generic', 'storeCard'] as const;

/** The members of pass.json that a phone uses. */
export interface PassContent {
  passTypeIdentifier: string;
  serialNumber: string;
  organizationName: string;
  description: string;
  logoText?: string;
  authenticationToken?: string;
  webServiceURL?: string;
  backgroundColor?: string;
  foregroundColor?: string;
  labelColor?: string;
  barcodes?: { format: string; message: string; altText?: string }[];
  voided?: boolean;
  expirationDate?: string;
  [member: string]: unknown;
}

/** A pass in Wallet. */
export interface HeldPass {
  content: PassContent;
  style: (typeof STYLES)[number];
  /** Every file of the package by name. */
  files: Map<string, Buffer>;
  /** As the server sent it; returned in If-Modified-Since. */
  lastModified?: string;
}

/** Opens a `.pkpass`. Throws if it isn't one. */
export function openPass(bytes: Buffer, lastModified?: string): HeldPass {
  const files = readZip(bytes);
  const text = files.get('pass.json')?.toString();
  if (!text) throw new Error('the package has no pass.json');
  const content = JSON.parse(text) as PassContent;
  const style = STYLES.find((name) => name in content);
  if (!style) throw new Error('pass.json names no style');
  return { content, style, files, lastModified };
}

/** Opens a `.pkpasses` bundle, whose entries are complete passes. */
export function openBundle(bytes: Buffer): HeldPass[] {
  return [...readZip(bytes).values()].map((pass) => openPass(pass));
}

/** A field as the phone shows it. */
export interface ShownField {
  list: ListName;
  key: string;
  label: string;
  text: string;
  changeMessage?: string;
}

/** Returns a pass's fields in order, in the phone's language if the pass has a translation. */
export function shownFields(pass: HeldPass, language: string): ShownField[] {
  const strings = stringsOf(pass, language);
  const translated = (text: string) => (Object.hasOwn(strings, text) ? strings[text]! : text);
  const lists = pass.content[pass.style] as Partial<Record<ListName, PassField[]>>;
  return LISTS.flatMap((list) =>
    (lists[list] ?? []).map((field) => ({
      list,
      key: field.key,
      label: translated(field.label ?? ''),
      text: translated(valueText(field, language)),
      changeMessage: field.changeMessage && translated(field.changeMessage),
    })),
  );
}

/** One change by an update; `from` or `to` is absent if there is no value. */
export interface Change {
  /** Key of a field, or name of another pass.json member or a file. */
  key: string;
  label: string;
  from?: string;
  to?: string;
}

export interface Difference {
  changes: Change[];
  /**
   * Messages on the lock screen: the change message of each existing field whose value changed, with `%@` replaced by
   * the value.
   */
  messages: string[];
}

/** Returns how a pass differs, from its holder's point of view. */
export function differenceBetween(before: HeldPass, after: HeldPass, language: string): Difference {
  const old = new Map(shownFields(before, language).map((field) => [field.key, field]));
  const fresh = shownFields(after, language);
  const changed = fresh.filter(({ key, text }) => old.get(key)?.text !== text);
  const gone = [...old.values()].filter(({ key }) => !fresh.some((field) => field.key === key));
  return {
    changes: [
      ...changed.map(({ key, label, text }) => ({ key, label: label || key, from: old.get(key)?.text, to: text })),
      ...gone.map(({ key, label, text }) => ({ key, label: label || key, from: text })),
      ...memberChanges(before, after),
      ...fileChanges(before, after),
    ],
    // Wallet shows no message for a new field, because it has not changed.
    messages: changed
      .filter(({ key, changeMessage }) => changeMessage && old.has(key))
      .map(({ changeMessage, text }) => changeMessage!.replaceAll('%@', () => text)),
  };
}

function memberChanges(before: HeldPass, after: HeldPass): Change[] {
  const styles = [before.style, after.style];
  const [from, to] = [before, after].map(({ content }) => {
    const members = Object.entries(content).filter(([name]) => !(styles as string[]).includes(name));
    return new Map(leaves('', Object.fromEntries(members)));
  }) as [Map<string, string>, Map<string, string>];
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((path) => from.get(path) !== to.get(path))
    .map((path) => ({ key: path, label: path, from: from.get(path), to: to.get(path) }));
}

/** Returns every value in a JSON tree by its path, such as `semantics.seats.0.seatNumber`. */
function leaves(path: string, value: unknown): [path: string, text: string][] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(path === '' ? name : `${path}.${name}`, inner));
}

function fileChanges(before: HeldPass, after: HeldPass): Change[] {
  const [from, to] = [before, after].map(({ files }) => manifestOf(files)) as [
    Record<string, string>,
    Record<string, string>,
  ];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((name) => name !== 'pass.json');
  return names
    .filter((name) => from[name] !== to[name])
    .map((name) => ({ key: name, label: name, from: from[name]?.slice(0, 8), to: to[name]?.slice(0, 8) }));
}

function manifestOf(files: Map<string, Buffer>): Record<string, string> {
  return JSON.parse(files.get('manifest.json')?.toString() ?? '{}') as Record<string, string>;
}

/** Returns the pass's table of texts for the language and region, or for the language. */
function stringsOf({ files }: HeldPass, language: string): Record<string, string> {
  for (const name of [language, language.split('-')[0]]) {
    const file = files.get(`${name}.lproj/pass.strings`);
    if (file) return decodeStrings(file);
  }
  return {};
}

type Style = 'short' | 'medium' | 'long' | 'full';

function valueText(field: PassField, language: string): string {
  const { value } = field;
  if (typeof value === 'number') return new Intl.NumberFormat(language, numberOptions(field)).format(value);
  if (!field.dateStyle && !field.timeStyle) return value;
  const instant = Date.parse(value);
  if (Number.isNaN(instant)) return value;
  return new Intl.DateTimeFormat(language, {
    dateStyle: styleOf(field.dateStyle),
    timeStyle: styleOf(field.timeStyle),
    // A phone uses its own zone. To show the event's, use the offset in the text.
    timeZone: field.ignoresTimeZone ? zoneOf(value) : undefined,
  }).format(instant);
}

function numberOptions({ currencyCode, numberStyle }: PassField): Intl.NumberFormatOptions {
  if (currencyCode) return { style: 'currency', currency: currencyCode };
  return numberStyle === 'PKNumberStylePercent' ? { style: 'percent', maximumFractionDigits: 2 } : {};
}

/** Returns the style for `PKDateStyleShort` and the like; undefined for None or if absent. */
function styleOf(name: string | undefined): Style | undefined {
  const style = name?.replace('PKDateStyle', '').toLowerCase();
  return style === 'none' ? undefined : (style as Style | undefined);
}

function zoneOf(iso: string): string {
  const offset = /(Z|[+-]\d{2}:\d{2})$/.exec(iso)?.[1] ?? 'Z';
  return offset === 'Z' ? 'UTC' : offset;
}
