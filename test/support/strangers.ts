import type { Reply } from './api.ts';
import type { FuzzAccount } from './fuzz-account.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** Times differ from call to call. */
const TIME = /\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g;
const PEM = /-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----/g;
/** Secrets, and the nonce of a page's policy. */
const LONG = /[\w-]{40,}|\b[0-9a-f]{32}\b/g;
/** Identifiers of additional properties. */
const PROPERTY = /[0-9a-f]{13}\.\d{8}/g;
/** What only the owner of a row can know is made by chance, and so neither short nor a word. */
const SECRET = /^(?=.*\d)[\w-]{20,}$/;

/** An account of the same shape, none of whose names exists. */
export function unknownLike(account: FuzzAccount): FuzzAccount {
  const others = (names: string[]) => names.map(unknownName);
  return {
    ...account,
    templates: others(account.templates),
    passes: others(account.passes),
    others: Object.fromEntries(Object.entries(account.others).map(([kind, names]) => [kind, others(names)])),
  };
}

/**
 * An identifier of nobody that was made at the same time: lists begin behind an identifier whether it is there or not.
 */
export function unknownName(name: string): string {
  const other = crypto.randomUUID();
  return name.length === other.length ? `${name.slice(0, 18)}${other.slice(18, 34)}${name.slice(34)}` : other;
}

/** Every name that a call in the name of an account can send. */
export function namesOf({ templates, passes, others }: FuzzAccount): string[] {
  return [...templates, ...passes, ...Object.values(others).flat()];
}

/** Status and body of a reply, without the names that were sent, and without what each reply makes anew. */
export function alike({ status, body }: Reply, account: FuzzAccount): unknown[] {
  return [status, alikeText(JSON.stringify(body) ?? '', namesOf(account))];
}

/** A text without names that were sent, and without identifiers, secrets and times. */
export function alikeText(text: string, names: string[]): string {
  return withoutNames(text, names)
    .replace(UUID, '<name>')
    .replace(TIME, '<time>')
    .replace(PEM, '<key>')
    .replace(LONG, '<secret>')
    .replace(PROPERTY, '<name>');
}

/** A text without names that were sent. */
export function withoutNames(text: string, names: string[]): string {
  const longestFirst = [...new Set(names)].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((rest, name) => rest.replaceAll(name, '<name>'), text);
}

/** Identifiers, tokens and the like in rows, which no stranger must read. */
export function secretsIn(rows: Record<string, Record<string, unknown>[]>): string[] {
  const values = Object.values(rows).flatMap((list) => list.flatMap((row) => Object.values(row)));
  return [...new Set(values.filter((value) => typeof value === 'string' && SECRET.test(value)))] as string[];
}
