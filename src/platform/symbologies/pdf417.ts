import { cheapestPath, type Step } from './cheapest-path.ts';
import { PATTERNS } from './pdf417-patterns.ts';

/** Modules of a symbol, row by row; 1 is dark. */
interface Rows {
  width: number;
  height: number;
  dark: Uint8Array;
}

/* Submodes of text compaction (ISO/IEC 15438 §5.4.2), which packs two values into a codeword. */
const [UPPER, LOWER, MIXED, PUNCTUATION] = [0, 1, 2, 3] as const;
const CHARACTERS = [
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ ',
  'abcdefghijklmnopqrstuvwxyz ',
  '0123456789&\r\t,:#-.$/+%*=^\0 ',
  ';<>@[\\]_`~!\r\t,:\n-.$/"|*()?{}\'',
];
const LATCHES: { to: number; values: number[] }[][] = [
  [
    { to: LOWER, values: [27] },
    { to: MIXED, values: [28] },
  ],
  [{ to: MIXED, values: [28] }],
  [
    { to: PUNCTUATION, values: [25] },
    { to: LOWER, values: [27] },
    { to: UPPER, values: [28] },
  ],
  [{ to: UPPER, values: [29] }],
];
/** Shifts for one character. */
const SHIFTS: { to: number; value: number }[][] = [
  [{ to: PUNCTUATION, value: 29 }],
  [
    { to: UPPER, value: 27 },
    { to: PUNCTUATION, value: 29 },
  ],
  [{ to: PUNCTUATION, value: 29 }],
  [],
];
/** Fills the last codeword of a text. In punctuation, it also switches to uppercase. */
const PADDING = 29;

const TEXT = 900;
const BYTES = 901;
const DIGITS = 902;
const ONE_BYTE = 913;
const WHOLE_BYTES = 924;

/* States: text in a submode with an even or odd number of values; bytes in groups of six; digits in groups of 44. */
const textState = (submode: number, isOdd: number) => submode * 2 + isOdd;
const BYTES_STATE = 8;
const DIGITS_STATE = 14;
const BYTES_IN_GROUP = 6;
const DIGITS_IN_GROUP = 44;

/** Maximum half codewords to switch from any state to any other, and to complete a group of bytes or digits. */
const SLACK = 10;

type Token = { values: number[] } | { codeword: number } | { byte: number } | { digit: number } | { shifted: number };

/** Returns the codewords of bytes. Costs are half codewords. */
function compact(bytes: Uint8Array): number[] {
  const start: Step<Token> = { to: textState(UPPER, 0), bytes: 0, cost: 0, token: { values: [] } };
  return codewordsOf(cheapestPath<Token>(bytes.length, [start], SLACK, (at, state) => stepsFrom(bytes, at, state)));
}

function* stepsFrom(bytes: Uint8Array, at: number, state: number): Generator<Step<Token>> {
  const isText = state < BYTES_STATE;
  const padding = isText ? state % 2 : 0;
  const byte = bytes[at]!;
  const isDigit = byte >= 0x30 && byte <= 0x39;
  if (isText) yield* stepsInText(byte, state >> 1, padding);
  else yield { to: textState(UPPER, 0), bytes: 0, cost: 2, token: { codeword: TEXT } };
  if (state >= BYTES_STATE && state < DIGITS_STATE) {
    const inGroup = state - BYTES_STATE + 1;
    // Six bytes take five codewords.
    const isWhole = inGroup === BYTES_IN_GROUP;
    yield { to: BYTES_STATE + (isWhole ? 0 : inGroup), bytes: 1, cost: isWhole ? 0 : 2, token: { byte } };
  } else yield { to: BYTES_STATE, bytes: 0, cost: 2 + padding, token: { codeword: BYTES } };
  if (state >= DIGITS_STATE) {
    if (!isDigit) return;
    const inGroup = (state - DIGITS_STATE) % DIGITS_IN_GROUP;
    // Three digits take a codeword, and a group takes one more.
    const cost = inGroup % 3 === 2 ? 2 : inGroup === 0 ? 2 : 0;
    yield { to: DIGITS_STATE + inGroup + 1, bytes: 1, cost, token: { digit: byte } };
  } else if (isDigit) yield { to: DIGITS_STATE, bytes: 0, cost: 2 + padding, token: { codeword: DIGITS } };
}

function* stepsInText(byte: number, submode: number, isOdd: number): Generator<Step<Token>> {
  const step = (to: number, taken: number, values: number[]) => {
    const state = textState(to, (isOdd + values.length) % 2);
    return { to: state, bytes: taken, cost: values.length, token: { values } };
  };
  const value = valueIn(submode, byte);
  if (value >= 0) yield step(submode, 1, [value]);
  for (const { to, values } of LATCHES[submode]!) yield step(to, 0, values);
  for (const shift of SHIFTS[submode]!) {
    const shifted = valueIn(shift.to, byte);
    if (shifted >= 0) yield step(submode, 1, [shift.value, shifted]);
  }
  const after = isOdd && submode === PUNCTUATION ? UPPER : submode;
  yield { to: textState(after, 0), bytes: 1, cost: 4 + isOdd, token: { shifted: byte } };
}

/** Returns the value of a character, or a negative number if the submode doesn't have it. */
const valueIn = (submode: number, byte: number) =>
  byte === 0 ? -1 : CHARACTERS[submode]!.indexOf(String.fromCharCode(byte));

function codewordsOf(tokens: Token[]): number[] {
  const codewords: number[] = [];
  let values: number[] = [];
  const endText = () => {
    if (values.length % 2) values.push(PADDING);
    for (let i = 0; i < values.length; i += 2) codewords.push(values[i]! * 30 + values[i + 1]!);
    values = [];
  };
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if ('values' in token) {
      values.push(...token.values);
      continue;
    }
    endText();
    if ('shifted' in token) codewords.push(ONE_BYTE, token.shifted);
    else if ('codeword' in token) {
      const run = runBehind(tokens, i);
      i += run.length;
      codewords.push(token.codeword === BYTES && run.length % BYTES_IN_GROUP === 0 ? WHOLE_BYTES : token.codeword);
      codewords.push(...(token.codeword === BYTES ? packedBytes(run) : packedDigits(run)));
    }
  }
  endText();
  return codewords;
}

/** Returns the bytes or digits after a token. */
function runBehind(tokens: Token[], start: number): number[] {
  const run: number[] = [];
  for (const token of tokens.slice(start + 1)) {
    if ('byte' in token) run.push(token.byte);
    else if ('digit' in token) run.push(token.digit);
    else break;
  }
  return run;
}

function packedBytes(run: number[]): number[] {
  const whole = run.length - (run.length % BYTES_IN_GROUP);
  const codewords: number[] = [];
  for (let at = 0; at < whole; at += BYTES_IN_GROUP) {
    const number = run.slice(at, at + BYTES_IN_GROUP).reduce((sum, byte) => sum * 256 + byte, 0);
    codewords.push(...base900(BigInt(number), 5));
  }
  return [...codewords, ...run.slice(whole)];
}

function packedDigits(run: number[]): number[] {
  const codewords: number[] = [];
  for (let at = 0; at < run.length; at += DIGITS_IN_GROUP) {
    const group = run.slice(at, at + DIGITS_IN_GROUP);
    codewords.push(...base900(BigInt(`1${String.fromCharCode(...group)}`), Math.floor(group.length / 3) + 1));
  }
  return codewords;
}

function base900(number: bigint, count: number): number[] {
  const digits: number[] = [];
  for (let rest = number; digits.length < count; rest /= 900n) digits.unshift(Number(rest % 900n));
  return digits;
}

/** Limits of a symbol: codewords including length and check, rows, and data columns. */
const CODEWORDS_MAX = 928;
const ROWS_MIN = 3;
const ROWS_MAX = 90;
const COLUMNS_MAX = 30;
/** A row is three times as high as a module is wide, the minimum that the standard recommends. */
const ROW_HEIGHT = 3;
/** Digits are the shortest, at a third of a codeword. */
const BYTES_MAX = CODEWORDS_MAX * 3;

/** Encodes bytes as a symbol; undefined if there are too many. */
export function encodePdf417(bytes: Uint8Array): Rows | undefined {
  if (bytes.length > BYTES_MAX) return undefined;
  const data = compact(bytes);
  const layout = layoutFor(data.length + 1);
  if (!layout) return undefined;
  const { rows, columns, level } = layout;
  const check = 2 ** (level + 1);
  const length = rows * columns - check;
  const codewords = [length, ...data, ...Array<number>(length - 1 - data.length).fill(TEXT)];
  return draw([...codewords, ...checkCodewords(codewords, check)], layout);
}

interface Layout {
  rows: number;
  columns: number;
  /** Error correction level: 2 ** (level + 1) codewords. */
  level: number;
}

/** Returns level and shape for a number of codewords: the level that the standard recommends, and about square. */
function layoutFor(count: number): Layout | undefined {
  const levelMax = Math.floor(Math.log2(CODEWORDS_MAX - count)) - 1;
  if (!(levelMax >= 0)) return undefined;
  const recommended = [41, 161, 321].filter((least) => count - 1 >= least).length + 2;
  const level = Math.min(recommended, levelMax);
  const needed = count + 2 ** (level + 1);
  const wished = Math.round(Math.sqrt(needed / 3));
  const wider = Array.from({ length: COLUMNS_MAX }, (_, i) => i + 1).sort(
    (a, b) => Math.abs(a - wished) - Math.abs(b - wished),
  );
  for (const columns of wider) {
    const rows = Math.max(ROWS_MIN, Math.ceil(needed / columns));
    if (rows > ROWS_MAX || rows * columns > CODEWORDS_MAX) continue;
    // Spare codewords correct errors if they suffice for a higher level.
    const spare = Math.floor(Math.log2(rows * columns - count)) - 1;
    return { rows, columns, level: Math.min(8, Math.max(level, spare)) };
  }
  return undefined;
}

const PRIME = 929;

/** Computes Reed-Solomon check codewords over GF(929), with powers of three as roots. */
function checkCodewords(codewords: number[], count: number): number[] {
  let generator = [1];
  for (let i = 0, root = 3; i < count; i++, root = (root * 3) % PRIME)
    generator = [...generator, 0].map((value, j) => (value + (PRIME - root) * (generator[j - 1] ?? 0)) % PRIME);
  const remainder = Array<number>(count).fill(0);
  for (const codeword of codewords) {
    const factor = (codeword + remainder[0]!) % PRIME;
    remainder.shift();
    remainder.push(0);
    for (let j = 0; j < count; j++) remainder[j] = (remainder[j]! + (PRIME - generator[j + 1]!) * factor) % PRIME;
  }
  return remainder.map((value) => (PRIME - value) % PRIME);
}

const START = '11111111010101000';
const STOP = '111111101000101001';

// Browsers also use this file, and have no Buffer.
const patterns = new DataView(Uint8Array.from(atob(PATTERNS), (character) => character.charCodeAt(0)).buffer);

/** Returns the seventeen modules of a codeword in the cluster of a row. */
function patternOf(row: number, codeword: number): string {
  const between = patterns.getUint16(((row % 3) * PRIME + codeword) * 2);
  return `1${between.toString(2).padStart(15, '0')}0`;
}

function draw(codewords: number[], { rows, columns, level }: Layout): Rows {
  const width = START.length + 17 * (columns + 2) + STOP.length;
  const dark = new Uint8Array(width * rows * ROW_HEIGHT);
  for (let row = 0; row < rows; row++) {
    // Facts about the symbol that the row indicators state in turn.
    const facts = [Math.floor((rows - 1) / 3), level * 3 + ((rows - 1) % 3), columns - 1];
    const indicatorAt = (turn: number) => patternOf(row, Math.floor(row / 3) * 30 + facts[turn % 3]!);
    const own = codewords.slice(row * columns, (row + 1) * columns).map((codeword) => patternOf(row, codeword));
    const line = Array.from([START, indicatorAt(row), ...own, indicatorAt(row + 2), STOP].join(''), Number);
    for (let y = 0; y < ROW_HEIGHT; y++) dark.set(line, (row * ROW_HEIGHT + y) * width);
  }
  return { width, height: rows * ROW_HEIGHT, dark };
}
