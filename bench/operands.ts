import { Problem } from '../scripts/settings.ts';
import type { BoundStatement } from '../test/support/d1-over.ts';
import type { Recording } from './recording-worker.ts';

/** A text in which every other part, from the second on, is the name of a value. */
export type TextTemplate = string[];

/** An operand that is the same in each request, or is made of values of the request. */
export type Operand = { is: unknown } | { value: string } | { text: TextTemplate };

/** A statement whose operands the floor fills in. */
export interface StatementTemplate {
  sql: string;
  operands: Operand[];
}

/** What the product asks of D1 for one kind of request, by round trip, and what it answers. */
export interface RequestTemplate {
  roundTrips: StatementTemplate[][];
  status: number;
  reply: TextTemplate;
}

/** Values of one request by their names: what it names and what it makes. */
export type Values = Record<string, unknown>;

/** A request that was recorded, with the values that stand in it. */
export interface Example {
  recording: Recording;
  values: Record<string, string>;
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';
const DATE = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d';
const MILLIS = '\\b1\\d{12}\\b';
/** Further from the request than this, a time is not the request's. */
const NOW_MS = 60_000;
/** Numbers from here on that differ between two requests are random. */
const RANDOM_FROM = 10_000;

/**
 * What two requests of one kind have in common: the statements, and which operands are values of the request, its time
 * (`now`, `date`), identifiers that it makes (`uuid1`, …) or random. Throws a `Problem` that shows what differs
 * otherwise, so that the floor asks for all that the product asks for.
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

/** The text with names in the place of the values that stand in it. */
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
  /** Names of texts. */
  #names: Map<string, string>;
  #pattern: RegExp;
  #made = 0;

  constructor(example: Example, shared: Set<string>) {
    this.#example = example;
    this.#shared = shared;
    this.#names = new Map(Object.entries(example.values).map(([name, text]) => [text, name]));
    // The longest first: one may stand in another.
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
