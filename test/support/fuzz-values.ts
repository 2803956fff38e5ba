import fc from 'fast-check';

/*
 * Unexpected values for fields, whole bodies, path segments and query strings. Bodies are JSON texts, because some JSON
 * has no JavaScript value (1e999), or JSON.stringify can't write it (very deep nesting).
 */

const DEPTH = 20_000;
/** More than the 1 MiB limit of bodies other than bulk. */
const HUGE_CHARS = 1_200_000;

/** Raw JSON, by the text that marks its place in a body. */
const RAW: Record<string, string> = {
  'a number beyond all': '1e999',
  'a number below all': '-1e999',
  'a negative zero': '-0',
  'an odd integer beyond 2^53': '9007199254740993',
  'a number next to zero': '1e-400',
  'deep arrays': '['.repeat(DEPTH) + ']'.repeat(DEPTH),
  'deep objects': `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`,
  'a huge text': `"${'x'.repeat(HUGE_CHARS)}"`,
  'a member __proto__': '{"__proto__":{"voided":true,"templateId":"x"},"constructor":{"prototype":{"voided":true}}}',
};
const MARK = '\uE000';

/** Serializes a value, with marked places replaced by raw JSON. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.replace(new RegExp(`"${MARK}([^"${MARK}]+)"`, 'g'), (_, name) => RAW[name] ?? 'null');
}

const LONG = 'Ж'.repeat(10_001);
const TEXTS = [
  ...['', ' ', 'null', 'true', '0', '-1', '1e5', '1'.repeat(400), LONG, '😀'.repeat(50_000), '{'.repeat(2_000)],
  ...[
    '\0',
    'a\0b',
    '\ud800',
    '\udfff\ud800',
    'e\u0301',
    '\u202eabc',
    '\ufeff',
    '\u2028',
    '﷽',
    '👩‍👩‍👧‍👦',
    '\u0007\u001b[31m',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '[object Object]', 'undefined', 'NaN'],
  ...[
    "'; drop table passes; --",
    '"',
    '\\',
    '<script>',
    '../../etc',
    '%00',
    '%',
    '{userProvidedId}',
    '{sign()}',
    '{}',
    '%@',
  ],
  ...['2026-02-30 10:00', '0000-01-01 00:00', '9999-12-31 23:59', '2026-01-01 10:00', '2026-01-01T10:00', '2026-01-01'],
  ...[
    'https://10.0.0.1/x.png',
    'https://nowhere.example/x.png',
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    '#fff',
  ],
];

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 50 }) },
  { weight: 1, arbitrary: fc.array(fc.nat(0xffff), { maxLength: 8 }).map((units) => String.fromCharCode(...units)) },
);

const raw = fc.constantFrom(...Object.keys(RAW)).map((name) => MARK + name);
const numbers = [0, -1, 0.5, 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, -(2 ** 53), 1e308, 5e-324, 255, 10_000, 1e15];

/** Any value, mostly of a wrong type. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, ...numbers) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>([], {}, [[]], [null], [{}], { '': 1 }, { a: { b: [1] } }) },
  { weight: 2, arbitrary: raw },
  { weight: 1, arbitrary: fc.jsonValue({ stringUnit: 'binary' }) },
  { weight: 1, arbitrary: fc.constant(Array.from({ length: 2_000 }, (_, i) => `item ${i}`)) },
);

const ODD_KEYS = ['__proto__', 'constructor', 'toString', '', 'a.b', '0', 'length'];
const oddKey = (known: string[]) => fc.oneof(fc.constantFrom(...ODD_KEYS, ...known), oddText);

type Place = (string | number)[];

/** Returns all places in a value: the value itself, its members, and theirs. */
function placesIn(value: unknown, place: Place = []): Place[] {
  const inner = value !== null && typeof value === 'object' ? Object.entries(value) : [];
  return [place, ...inner.flatMap(([key, member]) => placesIn(member, [...place, key]))];
}

/** Returns a copy of `value` with `change` applied at `place`; undefined removes a member. */
function changedAt(value: unknown, [key, ...rest]: Place, change: (found: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (value === null || typeof value !== 'object') return value;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const member = changedAt((value as Record<string, unknown>)[key], rest, change);
  if (member === undefined) delete copy[key as never];
  else Object.defineProperty(copy, key, { value: member, enumerable: true, configurable: true, writable: true });
  return copy;
}

function withMember(found: unknown, key: string, value: unknown): unknown {
  return found !== null && typeof found === 'object' && !Array.isArray(found)
    ? changedAt(found, [key], () => value)
    : value;
}

/** Makes one change to a valid body; added members mostly use `names`. */
function mutated(body: unknown, names: string[]): fc.Arbitrary<unknown> {
  const places = placesIn(body);
  const place = fc.nat(places.length - 1).map((nth) => places[nth]!);
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(place, oddValue).map(([at, value]) => changedAt(body, at, () => value)) },
    { weight: 1, arbitrary: place.map((at) => changedAt(body, at, () => undefined)) },
    { weight: 1, arbitrary: place.map((at) => changedAt(body, at, (found) => [found])) },
    { weight: 1, arbitrary: place.map((at) => changedAt(body, at, (found) => Array(1_500).fill(found))) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(place, oddKey(names), oddValue)
        .map(([at, key, value]) => changedAt(body, at, (found) => withMember(found, key, value))),
    },
  );
}

/**
 * Generates bodies: valid ones with one or two changes, any JSON with members of these names, invalid JSON, invalid
 * UTF-8, or none at all.
 */
export function oddBody(example: unknown, names: string[]): fc.Arbitrary<string | Uint8Array<ArrayBuffer> | undefined> {
  const changes = mutated(example, names).chain((once) => fc.oneof(fc.constant(once), mutated(once, names)));
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(toJson(example)) },
    { weight: example === undefined ? 0 : 14, arbitrary: changes.map(toJson) },
    { weight: 3, arbitrary: fc.dictionary(oddKey(names), oddValue, { maxKeys: 4 }).map(toJson) },
    { weight: 1, arbitrary: oddValue.map(toJson) },
    { weight: 1, arbitrary: oddText },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => new Uint8Array(bytes)) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

/** Path segments, encoded like callers do; `.` and `..` would change the path. */
export const oddSegment: fc.Arbitrary<string> = fc.oneof(
  oddText.map((text) => encodeURIComponent(text.slice(0, 500).toWellFormed())).filter((text) => !/^\.*$/.test(text)),
  fc.constantFrom('%', '%E0%A4', '%ff', '%00', 'x%2Fy', '%2e%2e%2f', '%25', 'x'.repeat(5_000), '*', ':id', '__proto__'),
);

/** Generates query strings with the named parameters, some repeated, some with unknown names. */
export function oddQuery(names: string[], good: string[]): fc.Arbitrary<string> {
  const value = fc.oneof(
    fc.constantFrom('true', 'false', '1', '100', '101', '2026-01-01 10:00', '2026-02-30 10:00', ...good),
    oddText.map((text) => text.slice(0, 300).toWellFormed()),
  );
  const name = fc.constantFrom(...names, '__proto__', 'unknown');
  const pairs = fc.array(fc.tuple(name, value), { maxLength: names.length + 1 });
  return fc.oneof(
    { weight: 8, arbitrary: pairs.map((list) => new URLSearchParams(list).toString()) },
    { weight: 1, arbitrary: fc.constantFrom('%', '&&&', '=', 'a[b]=c', `${names[0] ?? 'a'}=%E0%A4`) },
  );
}
