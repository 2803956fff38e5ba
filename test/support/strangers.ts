import type { Reply } from './api.ts';
import type { FuzzAccount } from './fuzz-account.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** Times differ between calls. */
const TIME = /\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g;
const PEM = /-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----/g;
/** Secrets, and the nonce of a page's policy. */
const LONG = /[\w-]{40,}|\b[0-9a-f]{32}\b/g;
/** Identifiers of additional properties. */
const PROPERTY = /[0-9a-f]{13}\.\d{8}/g;
/** Secrets that only a row's owner can know are random, and so neither short nor a word. */
const SECRET = /^(?=.*\d)[\w-]{20,}$/;

/** Returns an account of the same shape whose names don't exist. */
export function unknownLike(account: FuzzAccount): FuzzAccount {
  const others = (names: string[]) => names.map(unknownName);
  return {
    ...account,
    templates: others(account.templates),
    passes: others(account.passes),
    others: Object.fromEntries(Object.entries(account.others).map(([kind, names]) => [kind, others(names)])),
  };
}

/** Returns an unused identifier with the same time: lists start after an identifier whether or not it exists. */
export function unknownName(name: string): string {
  const other = crypto.randomUUID();
  return name.length === other.length ? `${name.slice(0, 18)}${other.slice(18, 34)}${name.slice(34)}` : other;
}

/** Returns every name that a call with an account's names can send. */
export function namesOf({ templates, passes, others }: FuzzAccount): string[] {
  return [...templates, ...passes, ...Object.values(others).flat()];
}

/** Returns a reply's status and body, without the names that were sent and the parts generated for each reply. */
export function alike({ status, body }: Reply, account: FuzzAccount): unknown[] {
  return [status, alikeText(JSON.stringify(body) ?? '', namesOf(account))];
}

/** Removes sent names, identifiers, secrets and times from a text. */
export function alikeText(text: string, names: string[]): string {
  return withoutNames(text, names)
    .replace(UUID, '<name>')
    .replace(TIME, '<time>')
    .replace(PEM, '<key>')
    .replace(LONG, '<secret>')
    .replace(PROPERTY, '<name>');
}

/** Removes sent names from a text. */
export function withoutNames(text: string, names: string[]): string {
  const longestFirst = [...new Set(names)].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((rest, name) => rest.replaceAll(name, '<name>'), text);
}

/** Returns identifiers, tokens and the like in rows, which no stranger may read. */
export function secretsIn(rows: Record<string, Record<string, unknown>[]>): string[] {
  const values = Object.values(rows).flatMap((list) => list.flatMap((row) => Object.values(row)));
  return [...new Set(values.filter((value) => typeof value === 'string' && SECRET.test(value)))] as string[];
}
