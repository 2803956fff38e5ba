import { type SQL, sql } from 'drizzle-orm';
import { isUuid } from '../../platform/ids.ts';
import type { Actor, Context } from '../context.ts';

/*
 * A fact is stored as a JSON array: its time, the code of its type, and the rest by position. Zeros and empty texts at
 * the end are omitted. Codes and positions are stored, so they never change; new ones go to the end.
 */

/** The actor without the name, which is looked up when a timeline is read. */
export type FactActor = Pick<Actor, 'type' | 'id'>;

/** Cause of a push: a change of the pass, a text to many passes, or a version of the template. */
export type PushCause = 'change' | 'text' | number;

/** Number of devices by the answer of Apple's push service. `postponed`: it is tried again. */
export interface AppleAnswers {
  accepted: number;
  unregistered: number;
  refused: number;
  postponed: number;
}

const GOOGLE_OUTCOMES = ['accepted', 'refused', 'postponed'] as const;
/** Answer of Google. `postponed`: it is tried again. */
export type GoogleOutcome = (typeof GOOGLE_OUTCOMES)[number];

/** A fact about a pass; `at` is UTC milliseconds. */
export type Fact = { at: number } & (
  | {
      type: 'changed';
      actor: FactActor;
      /** Version of the pass after the change. */
      version: number;
      /** Whether holders see the change, so that devices are notified. */
      isShown: boolean;
      /** Changed members, as the API names them, and names of additional properties. */
      members: string[];
    }
  | { type: 'apple_answered'; cause: PushCause; answers: AppleAnswers; reason?: string }
  | { type: 'google_answered'; outcome: GoogleOutcome; status?: number; version?: number }
  /** A push that could not be sent for a day. */
  | { type: 'push_given_up'; wallet: 'apple' | 'google' }
  /** A device asked which passes changed, and got this one. */
  | { type: 'device_asked'; device: string }
  /** A device got the file, or the answer that it has the latest one (`isKnown`). */
  | { type: 'file_downloaded'; version: number; templateVersion: number; isKnown: boolean }
);

/** Returns the actor of a context. */
export function factActor({ actor }: Pick<Context, 'actor'>): FactActor {
  return { type: actor?.type ?? 'system', id: actor?.id ?? null };
}

const CODES = {
  changed: 1,
  apple_answered: 2,
  google_answered: 3,
  push_given_up: 4,
  device_asked: 5,
  file_downloaded: 6,
} as const satisfies Record<Fact['type'], number>;

const ACTORS = { api_key: 'k', user: 'u', scanner_link: 'l', operator: 'o', system: 's' } as const;
const WALLETS = ['apple', 'google'] as const;

/** The most frequent members, each a number in a fact; others are stored by name. */
const MEMBERS = [
  'userProvidedId',
  'barcodeValue',
  'barcodeAlternativeText',
  'groupingIdentifier',
  'urlToThumbnail',
  'urlToBackground',
  'urlToLogo',
  'localizedBackgroundImages',
  'validAsOfDate',
  'expirationDate',
  'relevantDate',
  'labelColor',
  'foregroundColor',
  'backgroundColor',
  'footerBackgroundColor',
  'emailRecipient',
  'phoneRecipient',
  'locations',
  'storedValue',
  'eligibleValidationPlaces',
  'downloadPin',
  'bundleId',
  'voided',
  'redeemed',
  'templateId',
  'placesUsedAt',
  'pushNotificationText',
  'links',
  'unvoided',
];
/** Members that a fact lists, and characters of a name; the others are counted (`… more`). */
const MEMBERS_MAX = 20;
const NAME_CHARS_MAX = 40;
const REASON_CHARS_MAX = 100;

type Value = number | string;

/** Encodes a fact for storage. */
export function encodeFact(fact: Fact): string {
  const values: Value[] = [fact.at, CODES[fact.type], ...detailsOf(fact)];
  while (values.at(-1) === 0 || values.at(-1) === '') values.pop();
  return JSON.stringify(values);
}

function detailsOf(fact: Fact): Value[] {
  switch (fact.type) {
    case 'changed': {
      const known = fact.members.slice(0, MEMBERS_MAX).map(encodeMember);
      const more = fact.members.length - known.length;
      const listed = more > 0 ? [...known, `${more} more`] : known;
      return [encodeActor(fact.actor), fact.version, fact.isShown ? 1 : 0, listed.join('\n')];
    }
    case 'apple_answered': {
      const { accepted, unregistered, refused, postponed } = fact.answers;
      const reason = (fact.reason ?? '').slice(0, REASON_CHARS_MAX);
      return [encodeCause(fact.cause), accepted, unregistered, refused, postponed, reason];
    }
    case 'google_answered':
      return [GOOGLE_OUTCOMES.indexOf(fact.outcome), fact.status ?? 0, fact.version ?? 0];
    case 'push_given_up':
      return [WALLETS.indexOf(fact.wallet)];
    case 'device_asked':
      return [fact.device];
    case 'file_downloaded':
      return [fact.version, fact.templateVersion, fact.isKnown ? 1 : 0];
  }
}

/** Decodes a stored fact; undefined for one of a later release. */
export function decodeFact(stored: unknown): Fact | undefined {
  if (!Array.isArray(stored)) return undefined;
  const [at, code, ...values] = stored as [number, number, ...Value[]];
  const number = (index: number) => Number(values[index] ?? 0);
  const text = (index: number) => String(values[index] ?? '');
  switch (code) {
    case CODES.changed: {
      const members = text(3) === '' ? [] : text(3).split('\n').map(decodeMember);
      return {
        type: 'changed',
        at,
        actor: decodeActor(text(0)),
        version: number(1),
        isShown: number(2) === 1,
        members,
      };
    }
    case CODES.apple_answered: {
      const [accepted, unregistered, refused, postponed] = [number(1), number(2), number(3), number(4)];
      const answers = { accepted, unregistered, refused, postponed };
      return { type: 'apple_answered', at, cause: decodeCause(values[0]), answers, reason: text(5) || undefined };
    }
    case CODES.google_answered: {
      const outcome = GOOGLE_OUTCOMES[number(0)] ?? 'refused';
      const [status, version] = [number(1) || undefined, number(2) || undefined];
      return { type: 'google_answered', at, outcome, status, version };
    }
    case CODES.push_given_up:
      return { type: 'push_given_up', at, wallet: WALLETS[number(0)] ?? 'apple' };
    case CODES.device_asked:
      return { type: 'device_asked', at, device: text(0) };
    case CODES.file_downloaded:
      return { type: 'file_downloaded', at, version: number(0), templateVersion: number(1), isKnown: number(2) === 1 };
    default:
      return undefined;
  }
}

/** Stands for the actor of the first fact of a row: most changes of a pass have the same actor. */
const FIRST_ACTOR = 0;

/**
 * Returns SQL that appends facts to those of a row, both as stored. A change by the actor of the row's first change
 * omits the actor, which takes 24 of some 60 characters.
 */
export function joinFacts(row: SQL, facts: SQL): SQL {
  // After a bracket and 13 digits of the time: code and actor, which takes 23 characters and a quote with a UUID.
  const codeAndActor = (text: SQL) => sql`substr(${text}, 15, 28)`;
  const isNamed = sql`substr(${row}, 15, 4) = ${`,${CODES.changed},"`} and instr(substr(${row}, 19), '"') = 24`;
  return sql`${row} || ',' || iif(${isNamed} and ${codeAndActor(row)} = ${codeAndActor(facts)},
    substr(${facts}, 1, 17) || ${sql.raw(String(FIRST_ACTOR))} || substr(${facts}, 43), ${facts})`;
}

/** Returns the facts of a stored row, as they were written. */
export function listFacts(stored: string): unknown[] {
  const facts = JSON.parse(`[${stored}]`) as unknown[][];
  const actor = facts[0]?.[2];
  return facts.map((fact) => (fact[1] === CODES.changed && fact[2] === FIRST_ACTOR ? fact.with(2, actor) : fact));
}

/** A UUID takes 22 characters of base64url. */
function encodeActor({ type, id }: FactActor): string {
  const bytes = id !== null && isUuid(id) ? Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url') : '';
  return ACTORS[type] + bytes;
}

function decodeActor(text: string): FactActor {
  const type = (Object.keys(ACTORS) as FactActor['type'][]).find((one) => ACTORS[one] === text[0]) ?? 'system';
  const hex = Buffer.from(text.slice(1), 'base64url').toString('hex');
  const id = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(hex)?.slice(1).join('-') ?? null;
  return { type, id };
}

/** Encodes a known member as a space and its number; no name begins with a space. */
function encodeMember(name: string): string {
  const number = MEMBERS.indexOf(name);
  if (number >= 0) return ` ${number.toString(36)}`;
  return name.replace(/\s+/g, ' ').trim().slice(0, NAME_CHARS_MAX);
}

function decodeMember(stored: string): string {
  return stored.startsWith(' ') ? (MEMBERS[Number.parseInt(stored, 36)] ?? stored.trim()) : stored;
}

const CAUSES = { change: 0, text: 't' } as const;

function encodeCause(cause: PushCause): Value {
  return typeof cause === 'number' ? cause : CAUSES[cause];
}

function decodeCause(stored: Value | undefined): PushCause {
  if (stored === CAUSES.text) return 'text';
  return typeof stored === 'number' && stored > 0 ? stored : 'change';
}
