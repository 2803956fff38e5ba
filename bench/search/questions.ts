import type { BoundStatement } from '../../test/support/d1-over.ts';
import { valuesOf } from './crowd.ts';

/** A question for both sides. */
export interface Question {
  /** Operator and the property it applies to. */
  name: string;
  /** The API query, without its template. */
  query: { groups?: object[][]; searchPhrase?: string };
  /** The same condition for the floor's tables. */
  where: string;
  params: (string | number)[];
}

export const PAGE_SIZE = 100;

const phrases = (expression: string) =>
  `key in (select rowid from floor_phrases where floor_phrases match ${expression})`;

/** Returns the questions; `n` is a pass in the middle of the crowd whose values they use. */
export function questionsOf(n: number): Question[] {
  const own = valuesOf(n) as Record<string, string>;
  const lower = (name: string) => own[name]!.toLowerCase();
  const at = (name: string, operator: string, value?: unknown) => ({ groups: [[{ field: name, operator, value }]] });
  const code = lower('code');
  const [, , , , , noteWord] = lower('note').split(' ') as [string, string, string, string, string, string];
  const twoWords = lower('note').split(' ').slice(0, 2).join(' ');
  const since = Date.parse(`${own.memberSince!.slice(0, 10)}T00:00Z`);
  const createdAt = Date.UTC(2024, 0, 1) + n * 60_000;
  const dayOf = (millis: number) => new Date(millis).toISOString().slice(0, 10);
  return [
    {
      name: 'equals, unique text',
      query: at('email', 'equals', own.email),
      where: 'email = ?',
      params: [lower('email')],
    },
    {
      name: 'equals, built in',
      query: at('userProvidedId', 'equals', `member-${String(n).padStart(9, '0')}`),
      where: 'user_provided_id = ?',
      params: [`member-${String(n).padStart(9, '0')}`],
    },
    {
      name: 'equals, common text',
      query: at('city', 'equals', own.city),
      where: 'city = ?',
      params: [lower('city')],
    },
    {
      name: 'equals, an eighth of all',
      query: at('level', 'equals', 'Platinum'),
      where: 'level = ?',
      params: ['platinum'],
    },
    {
      name: 'equals, one of 50 texts',
      query: at(
        'email',
        'equals',
        Array.from({ length: 50 }, (_, i) => String((valuesOf(n + i * 7) as Record<string, string>).email)),
      ),
      where: `email in (${Array(50).fill('?')})`,
      params: Array.from({ length: 50 }, (_, i) => String((valuesOf(n + i * 7) as Record<string, string>).email)),
    },
    {
      name: 'notEquals, nearly all',
      query: at('level', 'notEquals', 'Platinum'),
      where: '(level <> ? or level is null)',
      params: ['platinum'],
    },
    {
      name: 'beginsWith, few',
      query: at('code', 'beginsWith', own.code!.slice(0, 5)),
      where: 'code >= ? and code < ?',
      params: [code.slice(0, 5), `${code.slice(0, 5)}{`],
    },
    {
      name: 'beginsWith, many',
      query: at('lastName', 'beginsWith', own.lastName!.slice(0, 2)),
      where: 'last_name >= ? and last_name < ?',
      params: [lower('lastName').slice(0, 2), `${lower('lastName').slice(0, 2)}{`],
    },
    {
      name: 'endsWith',
      query: at('email', 'endsWith', `${n}@example.com`),
      where: `${phrases('?')} and email like ?`,
      params: [`"${n}@example.com"`, `%${n}@example.com`],
    },
    {
      name: 'contains, selective phrase',
      query: at('note', 'contains', twoWords),
      where: `${phrases('?')} and instr(note, ?) > 0`,
      params: [`"${twoWords}"`, twoWords],
    },
    {
      name: 'contains, one word',
      query: at('note', 'contains', noteWord),
      where: `${phrases('?')} and instr(note, ?) > 0`,
      params: [`"${noteWord}"`, noteWord],
    },
    {
      name: 'contains, two characters',
      query: at('lastName', 'contains', 'zu'),
      where: 'instr(last_name, ?) > 0',
      params: ['zu'],
    },
    {
      name: 'doesNotContain',
      query: at('note', 'doesNotContain', noteWord),
      where: `not (${phrases('?')} and instr(note, ?) > 0)`,
      params: [`"${noteWord}"`, noteWord],
    },
    {
      name: 'greaterThan, number, few',
      query: at('points', 'greaterThan', 99_990),
      where: 'points > ?',
      params: [99_990],
    },
    {
      name: 'greaterThanOrEquals, number, half',
      query: at('points', 'greaterThanOrEquals', 50_000),
      where: 'points >= ?',
      params: [50_000],
    },
    {
      name: 'lowerThan, number, few',
      query: at('points', 'lowerThan', 10),
      where: 'points < ?',
      params: [10],
    },
    {
      name: 'lowerThanOrEquals, stored value',
      query: at('storedValue', 'lowerThanOrEquals', 1),
      where: 'stored_value <= ?',
      params: [1],
    },
    {
      name: 'equals, day of a date-time',
      query: at('memberSince', 'equals', own.memberSince!.slice(0, 10)),
      where: 'member_since >= ? and member_since < ?',
      params: [since, since + 86_400_000],
    },
    {
      name: 'range of createdOn, two days',
      query: {
        groups: [
          [
            { field: 'createdOn', operator: 'greaterThanOrEquals', value: dayOf(createdAt) },
            { field: 'createdOn', operator: 'lowerThan', value: dayOf(createdAt + 2 * 86_400_000) },
          ],
        ],
      },
      where: 'created_at >= ? and created_at < ?',
      params: [Date.parse(dayOf(createdAt)), Date.parse(dayOf(createdAt + 2 * 86_400_000))],
    },
    {
      name: 'greaterThan, text',
      query: at('code', 'greaterThan', 'ZZX'),
      where: 'code > ?',
      params: ['zzx'],
    },
    { name: 'empty', query: at('city', 'empty'), where: 'city is null', params: [] },
    { name: 'notEmpty', query: at('city', 'notEmpty'), where: 'city is not null', params: [] },
    { name: 'isTrue, half', query: at('newsletter', 'isTrue'), where: 'newsletter = 1', params: [] },
    { name: 'isTrue, built in, few', query: at('voided', 'isTrue'), where: 'voided = 1', params: [] },
    {
      name: 'isFalse, built in, nearly all',
      query: at('voided', 'isFalse'),
      where: 'voided = 0',
      params: [],
    },
    {
      name: 'two common ones of one pass',
      query: {
        groups: [
          [
            { field: 'city', operator: 'equals', value: own.city },
            { field: 'firstName', operator: 'equals', value: own.firstName },
          ],
        ],
      },
      where: 'city = ? and first_name = ?',
      params: [lower('city'), lower('firstName')],
    },
    {
      name: 'one or the other',
      query: {
        groups: [
          [{ field: 'email', operator: 'equals', value: own.email }],
          [{ field: 'points', operator: 'lowerThan', value: 5 }],
        ],
      },
      where: '(email = ? or points < ?)',
      params: [lower('email'), 5],
    },
    {
      name: 'searchPhrase, selective',
      query: { searchPhrase: code },
      where: phrases('?'),
      params: [`"${code}"`],
    },
    ...phraseQuestions(n, code),
  ];
}

const DAY_MS = 86_400_000;

/**
 * Phrases that no document contains, such as the template's name or dates as displayed; and phrases with an asterisk.
 */
function phraseQuestions(n: number, code: string): Question[] {
  const createdAt = Date.UTC(2024, 0, 1) + n * 60_000;
  const shown = new Date(createdAt).toISOString().slice(0, 19).replace('T', ' ');
  const day = Math.floor(createdAt / DAY_MS) * DAY_MS;
  const sameDay = [2024, 2025, 2026].map((year) => Date.parse(`${year}${shown.slice(4, 10)}T00:00Z`));
  const created = '(created_at >= ? and created_at < ?)';
  const inTexts = (text: string) => `"${text}"`;
  return [
    { name: 'searchPhrase, the name of a template', query: { searchPhrase: 'crowd' }, where: 'true', params: [] },
    {
      name: 'searchPhrase, a day',
      query: { searchPhrase: shown.slice(0, 10) },
      where: `(${phrases('?')} or ${created})`,
      params: [inTexts(shown.slice(0, 10)), day, day + DAY_MS],
    },
    {
      name: 'searchPhrase, a minute',
      query: { searchPhrase: shown.slice(0, 16) },
      where: `(${phrases('?')} or ${created})`,
      params: [inTexts(shown.slice(0, 16)), createdAt, createdAt + 60_000],
    },
    {
      name: 'searchPhrase, a day of any year',
      query: { searchPhrase: shown.slice(4, 10) },
      where: `(${[phrases('?'), ...sameDay.map(() => created)].join(' or ')})`,
      params: [inTexts(shown.slice(4, 10)), ...sameDay.flatMap((from) => [from, from + DAY_MS])],
    },
    {
      name: 'searchPhrase, a time of any day',
      query: { searchPhrase: shown.slice(10) },
      where: 'created_at % 86400000 = ?',
      params: [createdAt % DAY_MS],
    },
    {
      name: 'searchPhrase, with an asterisk',
      query: { searchPhrase: `${code.slice(0, 5)}*${code.slice(7)}` },
      where: phrases('?'),
      params: [`${inTexts(code.slice(0, 5))} ${inTexts(code.slice(7))}`],
    },
    {
      name: 'searchPhrase, a number',
      query: { searchPhrase: '2345' },
      where: phrases('?'),
      params: [inTexts('2345')],
    },
  ];
}

/**
 * Up to this many results, an expert would have SQLite sort them, instead of scanning all passes in order until a page
 * is full.
 */
const SORTED_MAX = 5_000;

/** Returns the floor's statements for a page and its total; `total` is known in advance. */
export function floorStatements({ where, params }: Question, total: number): [BoundStatement, BoundStatement] {
  const order = total <= SORTED_MAX ? '+key' : 'key';
  return [
    { sql: `select * from floor_passes where ${where} order by ${order} desc limit ${PAGE_SIZE}`, params },
    { sql: `select count(*) as passes from floor_passes where ${where}`, params },
  ];
}

/** Adds one more pass to the floor's tables. */
export const FLOOR_CREATE: BoundStatement[] = [
  { sql: "insert into floor_passes (id, user_provided_id) values ('one-more', 'one-more')", params: [] },
  { sql: "insert into floor_phrases (rowid, texts) select max(key), 'one more' from floor_passes", params: [] },
];
