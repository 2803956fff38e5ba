import { Problem } from '../scripts/settings.ts';
import type { BoundStatement } from '../test/support/d1-over.ts';
import type { Recording } from './recording-worker.ts';

/** A text in which every other part, starting with the second, names a value. */
export type TextTemplate = string[];

/** A constant operand, or one built from the request's values. */
export type Operand = { is: unknown } | { value: string } | { text: TextTemplate };

/** A statement with operands for the floor to fill in. */
export interface StatementTemplate {
  sql: string;
  operands: Operand[];
}

/** The product's D1 statements for one kind of request, by round trip, and its reply. */
export interface RequestTemplate {
  roundTrips: StatementTemplate[][];
  status: number;
  reply: TextTemplate;
}

/** A request's values by name: those it contains and those it generates. */
export type Values = Record<string, unknown>;

/** A recorded request, with the values in it. */
export interface Example {
  recording: Recording;
  values: Record<string, string>;
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';
const DATE = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d';
const MILLIS = '\\b1\\d{12}\\b';
/** A time further than this from the request is unrelated to it. */
const NOW_MS = 60_000;
/** Numbers from here on are random if they differ between two requests. */
const RANDOM_FROM = 10_000;

/**
 * Derives a template from two requests of one kind: the statements, and which operands are request values, its time
 * (`now`, `date`), new identifiers (`uuid1`, …) or random. Throws a `Problem` that shows any other difference, so that
 * the floor queries everything the product does.
 */
export function templateOf(name: string, one: Example, other: Example): RequestTemplate {
  const shared = new Set(uuidsOf(one.recording).filter((uuid) => uuidsOf(other.recording).includes(uuid)));
  const [reading, check] = [new Reading(one, shared), new Reading(other, shared)];
  const fail = (what: string, ...found: unknown[]): never => {
    throw new Problem(`"${name}": ${what}: ${found.map((value) => JSON.stringify(value)).join(' and ')}`);
  };
  const same = <T>(what: string, a: T, b: T): T => (JSON.stringify(a) === JSON.stringify(b) ? a : fail(what, a, b));
  const operand = (a: unknown, b: unknown, sql: string): Operand => {
    if (typeof a === 'object' && a !== null) fail(`an operand is no text or number: ${sql}`, a);
    if (
      a !== b &&
      typeof a === 'number' &&
      typeof b === 'number' &&
      !reading.isNow(a) &&
      Math.min(a, b) > RANDOM_FROM
    ) {
      return { value: 'random' };
    }
    return same(`the floor doesn't know why an operand differs: ${sql}`, reading.operand(a), check.operand(b));
  };
  const statement = (a: BoundStatement, b: BoundStatement): StatementTemplate => ({
    sql: same('two statements', a.sql, b.sql),
    operands: a.params.map((value, i) => operand(value, b.params[i], a.sql)),
  });
  const [ours, theirs] = [one.recording, other.recording];
  same(
    'the number of statements',
    ours.roundTrips.map(({ length }) => length),
    theirs.roundTrips.map(({ length }) => length),
  );
  return {
    roundTrips: ours.roundTrips.map((batch, i) => batch.map((each, j) => statement(each, theirs.roundTrips[i]![j]!))),
    status: same('the status', ours.status, theirs.status),
    reply: reading.text(ours.body),
  };
}

/** Replaces the values in a text by their names. */
export function textTemplate(text: string, values: Record<string, string>, at: number): TextTemplate {
  return new Reading({ values, recording: { at } as Recording }, new Set(text.match(new RegExp(UUID, 'g')))).text(text);
}

function uuidsOf({ roundTrips }: Recording): string[] {
  return JSON.stringify(roundTrips).match(new RegExp(UUID, 'g')) ?? [];
}

/** Reads the operands of one request. */
class Reading {
  #example: Example;
  #shared: Set<string>;
  /** Names of values, by text. */
  #names: Map<string, string>;
  #pattern: RegExp;
  #made = 0;

  constructor(example: Example, shared: Set<string>) {
    this.#example = example;
    this.#shared = shared;
    this.#names = new Map(Object.entries(example.values).map(([name, text]) => [text, name]));
    // Longest first, because one may contain another.
    const texts = [...this.#names.keys()].sort((a, b) => b.length - a.length).map(escaped);
    this.#pattern = new RegExp([...texts, UUID, DATE, MILLIS].join('|'), 'g');
  }

  isNow(millis: number): boolean {
    return Math.abs(millis - this.#example.recording.at) < NOW_MS;
  }

  operand(value: unknown): Operand {
    if (typeof value === 'number' && this.isNow(value)) return { value: 'now' };
    if (typeof value !== 'string') return { is: value };
    const text = this.text(value);
    if (text.length === 1) return { is: value };
    return text.length === 3 && text[0] === '' && text[2] === '' ? { value: text[1]! } : { text };
  }

  text(whole: string): TextTemplate {
    const parts: TextTemplate = [];
    let end = 0;
    for (const { 0: found, index } of whole.matchAll(this.#pattern)) {
      const name = this.#nameOf(found);
      if (name === undefined) continue;
      parts.push(whole.slice(end, index), name);
      end = index + found.length;
    }
    return [...parts, whole.slice(end)];
  }

  #nameOf(found: string): string | undefined {
    const known = this.#names.get(found);
    if (known !== undefined || this.#shared.has(found)) return known;
    if (new RegExp(`^${DATE}$`).test(found)) return this.isNow(Date.parse(`${found}Z`)) ? 'date' : undefined;
    if (new RegExp(`^${MILLIS}$`).test(found)) return this.isNow(Number(found)) ? 'now' : undefined;
    this.#made += 1;
    this.#names.set(found, `uuid${this.#made}`);
    return `uuid${this.#made}`;
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
