import { cheapestPath, type Step } from './cheapest-path.ts';

/** Modules of a square symbol, row by row; 1 is dark. */
interface Square {
  size: number;
  dark: Uint8Array;
}

/* Modes of the text encoding (ISO/IEC 24778 §7). Higher states are runs of bytes after one of three modes. */
const MODES = ['upper', 'lower', 'mixed', 'punctuation', 'digit'] as const;
const [UPPER, LOWER, MIXED, PUNCTUATION, DIGIT] = [0, 1, 2, 3, 4] as const;
const BITS = [5, 5, 5, 5, 4];

/** Characters of each mode by code. Codes without a character switch modes. */
const CHARACTERS = [
  '\0 ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  '\0 abcdefghijklmnopqrstuvwxyz',
  '\0 \x01\x02\x03\x04\x05\x06\x07\b\t\n\v\f\r\x1b\x1c\x1d\x1e\x1f@\\^_`|~\x7f',
  '\0\r\0\0\0\0!"#$%&\'()*+,-./:;<=>?[]{}',
  '\0 0123456789,.',
];
const CODES = CHARACTERS.map((characters) => {
  const codes = new Map<number, number>();
  for (let code = 1; code < characters.length; code++)
    if (characters[code] !== '\0') codes.set(characters.charCodeAt(code), code);
  return codes;
});
/** Pairs of characters that are one punctuation character. */
const PAIRS = new Map([
  ['\r\n', 2],
  ['. ', 3],
  [', ', 4],
  [': ', 5],
]);

/** Codes that change the mode for all following characters. */
const LATCHES: { to: number; code: number }[][] = [
  [
    { to: LOWER, code: 28 },
    { to: MIXED, code: 29 },
    { to: DIGIT, code: 30 },
  ],
  [
    { to: MIXED, code: 29 },
    { to: DIGIT, code: 30 },
  ],
  [
    { to: LOWER, code: 28 },
    { to: UPPER, code: 29 },
    { to: PUNCTUATION, code: 30 },
  ],
  [{ to: UPPER, code: 31 }],
  [{ to: UPPER, code: 14 }],
];
/** Codes that change the mode for one character. */
const SHIFTS: { to: number; code: number }[][] = [
  [{ to: PUNCTUATION, code: 0 }],
  [
    { to: PUNCTUATION, code: 0 },
    { to: UPPER, code: 28 },
  ],
  [{ to: PUNCTUATION, code: 0 }],
  [],
  [
    { to: PUNCTUATION, code: 0 },
    { to: UPPER, code: 15 },
  ],
];
const BINARY_SHIFT = 31;
/** The count of up to 31 consecutive bytes takes five bits; a longer one takes eleven more. */
const SHORT_RUN_MAX = 31;
const RUN_MAX = SHORT_RUN_MAX + 2_047;

/** Maximum bits to switch from any mode to any other, and into a long run. */
const SLACK = 14 + 21;

/** A code, or a byte of a run. */
type Token = { value: number; bits: number }[] | { byte: number; isFirst: boolean };

function modeBits(bytes: Uint8Array): number[] {
  const start = { to: UPPER, bytes: 0, cost: 0, token: [] };
  const tokens = cheapestPath<Token>(bytes.length, [start], SLACK, (at, state) =>
    state < MODES.length ? stepsInMode(bytes, at, state) : stepsInRun(bytes, at, state),
  );
  const bits: number[] = [];
  for (const [i, token] of tokens.entries()) {
    if (!('byte' in token)) for (const { value, bits: count } of token) push(bits, value, count);
    else {
      if (token.isFirst) pushRunLength(bits, runFrom(tokens, i));
      push(bits, token.byte, 8);
    }
  }
  return bits;
}

function runFrom(tokens: Token[], start: number): number {
  const next = tokens.findIndex((token, i) => i > start && !('byte' in token && !token.isFirst));
  return (next < 0 ? tokens.length : next) - start;
}

function pushRunLength(bits: number[], count: number): void {
  push(bits, BINARY_SHIFT, 5);
  if (count <= SHORT_RUN_MAX) push(bits, count, 5);
  else push(bits, count - SHORT_RUN_MAX, 16);
}

const push = (bits: number[], value: number, count: number) => {
  for (let i = count - 1; i >= 0; i--) bits.push((value >> i) & 1);
};

function* stepsInMode(bytes: Uint8Array, at: number, mode: number): Generator<Step<Token>> {
  const bits = BITS[mode]!;
  const code = (value: number, count: number) => ({ value, bits: count });
  const found = characterIn(bytes, at, mode);
  for (const { value, length } of found) yield { to: mode, bytes: length, cost: bits, token: [code(value, bits)] };
  for (const latch of LATCHES[mode]!) yield { to: latch.to, bytes: 0, cost: bits, token: [code(latch.code, bits)] };
  for (const shift of SHIFTS[mode]!)
    for (const { value, length } of characterIn(bytes, at, shift.to))
      yield { to: mode, bytes: length, cost: bits + 5, token: [code(shift.code, bits), code(value, 5)] };
  if (mode <= MIXED)
    yield { to: runState(mode, 1), bytes: 1, cost: 10 + 8, token: { byte: bytes[at]!, isFirst: true } };
}

function characterIn(bytes: Uint8Array, at: number, mode: number): { value: number; length: number }[] {
  const found: { value: number; length: number }[] = [];
  const value = CODES[mode]!.get(bytes[at]!);
  if (value !== undefined) found.push({ value, length: 1 });
  const pair = mode === PUNCTUATION && PAIRS.get(String.fromCharCode(bytes[at]!, bytes[at + 1] ?? 0));
  if (pair) found.push({ value: pair, length: 2 });
  return found;
}

/** Returns the state of a run after a mode with this number of bytes. Long runs share one state. */
const runState = (mode: number, count: number) => MODES.length + mode * (SHORT_RUN_MAX + 1) + count - 1;

function* stepsInRun(bytes: Uint8Array, at: number, state: number): Generator<Step<Token>> {
  const mode = Math.floor((state - MODES.length) / (SHORT_RUN_MAX + 1));
  const isLong = state === runState(mode, SHORT_RUN_MAX + 1);
  const grows = state === runState(mode, SHORT_RUN_MAX);
  yield* stepsInMode(bytes, at, mode);
  const token = { byte: bytes[at]!, isFirst: false };
  yield { to: isLong ? state : state + 1, bytes: 1, cost: grows ? 11 + 8 : 8, token };
}

const LAYERS_MAX = 32;
const bitsPerWord = (layers: number) => (layers <= 2 ? 6 : layers <= 8 ? 8 : layers <= 22 ? 10 : 12);
const bitsOf = (layers: number) => (112 + 16 * layers) * layers;
/** 23 percent plus three words, as the standard recommends (ISO/IEC 24778 §11). */
const checkWordsOf = (words: number) => Math.ceil(words * 0.23 + 3);
/** Digits are the shortest codes, at four bits. */
const BYTES_MAX = bitsOf(LAYERS_MAX) / 4;

/** Encodes bytes as a full-range symbol; undefined if there are too many. */
export function encodeAztec(bytes: Uint8Array): Square | undefined {
  if (bytes.length > Math.min(BYTES_MAX, 2 * RUN_MAX)) return undefined;
  const message = modeBits(bytes);
  for (let layers = 1; layers <= LAYERS_MAX; layers++) {
    const size = bitsPerWord(layers);
    const total = Math.floor(bitsOf(layers) / size);
    const words = stuffedWords(message, size);
    if (words.length > total - checkWordsOf(total)) continue;
    const all = [...words, ...checkWords(words, total - words.length, size)];
    const bits = Array<number>(bitsOf(layers) % size).fill(0);
    for (const word of all) push(bits, word, size);
    return draw(layers, bits, modeMessage(layers, words.length));
  }
  return undefined;
}

/**
 * Splits a message into words that are neither all 0 nor all 1: a bit that would complete such a word moves to the next
 * one.
 */
function stuffedWords(message: number[], size: number): number[] {
  const words: number[] = [];
  const ones = (1 << size) - 2;
  for (let at = 0; at < message.length; ) {
    let word = 0;
    for (let i = 0; i < size; i++) word = word * 2 + (message[at + i] ?? 1);
    const isStuffed = (word & ones) === ones || (word & ones) === 0;
    if (isStuffed) word = (word & ones) === 0 ? 1 : ones;
    words.push(word);
    at += isStuffed ? size - 1 : size;
  }
  return words;
}

function modeMessage(layers: number, words: number): number[] {
  const value = ((layers - 1) << 11) | (words - 1);
  const nibbles = [12, 8, 4, 0].map((shift) => (value >> shift) & 15);
  const bits: number[] = [];
  for (const nibble of [...nibbles, ...checkWords(nibbles, 6, 4)]) push(bits, nibble, 4);
  return bits;
}

/** Field polynomials by word size in bits. */
const POLYNOMIALS: Record<number, number> = { 4: 19, 6: 67, 8: 301, 10: 1033, 12: 4201 };

/** Computes Reed-Solomon check words over GF(2^size), with roots from the first power on. */
function checkWords(words: number[], count: number, size: number): number[] {
  const order = (1 << size) - 1;
  const powers: number[] = [];
  const logarithms: number[] = [];
  for (let i = 0, value = 1; i < order; i++) {
    powers.push(value);
    logarithms[value] = i;
    value <<= 1;
    if (value > order) value ^= POLYNOMIALS[size]!;
  }
  const times = (a: number, b: number) => (a && b ? powers[(logarithms[a]! + logarithms[b]!) % order]! : 0);
  let generator = [1];
  for (let i = 1; i <= count; i++)
    generator = [...generator, 0].map((value, j) => value ^ times(generator[j - 1] ?? 0, powers[i % order]!));
  const remainder = Array<number>(count).fill(0);
  for (const word of words) {
    const factor = word ^ remainder[0]!;
    remainder.shift();
    remainder.push(0);
    for (let j = 0; j < count; j++) remainder[j]! ^= times(generator[j + 1]!, factor);
  }
  return remainder;
}

function draw(layers: number, bits: number[], mode: number[]): Square {
  const base = 14 + layers * 4;
  const half = base / 2;
  const size = base + 1 + 2 * Math.floor((half - 1) / 15);
  const center = Math.floor(size / 2);
  const dark = new Uint8Array(size * size);
  const set = (x: number, y: number) => {
    dark[y * size + x] = 1;
  };
  // The reference grid lies between the data, on every sixteenth line from the center.
  const place = Array.from({ length: base }, (_, i) => {
    const away = i < half ? half - 1 - i : i - half;
    const offset = away + Math.floor(away / 15) + 1;
    return i < half ? center - offset : center + offset;
  });
  drawData(layers, bits, (x, y) => set(place[x]!, place[y]!));
  for (let i = 0; i < 10; i++) {
    const offset = center - 5 + i + Math.floor(i / 5);
    if (mode[i]) set(offset, center - 7);
    if (mode[i + 10]) set(center + 7, offset);
    if (mode[29 - i]) set(offset, center + 7);
    if (mode[39 - i]) set(center - 7, offset);
  }
  for (let line = 0; line <= center; line += 16) {
    for (let k = center & 1; k < size; k += 2) {
      for (const at of [center - line, center + line]) {
        set(at, k);
        set(k, at);
      }
    }
  }
  drawBullsEye(center, set);
  return { size, dark };
}

/** Draws the layers from the outside in. Each is two modules wide and goes once around. */
function drawData(layers: number, bits: number[], set: (x: number, y: number) => void): void {
  const last = 14 + layers * 4 - 1;
  let start = 0;
  for (let layer = 0; layer < layers; layer++) {
    const length = (layers - layer) * 4 + 12;
    for (let j = 0; j < length; j++) {
      for (let k = 0; k < 2; k++) {
        const [across, along] = [layer * 2 + k, layer * 2 + j];
        const isSet = (side: number) => bits[start + side * length * 2 + j * 2 + k];
        if (isSet(0)) set(across, along);
        if (isSet(1)) set(along, last - across);
        if (isSet(2)) set(last - across, last - along);
        if (isSet(3)) set(last - along, across);
      }
    }
    start += length * 8;
  }
}

function drawBullsEye(center: number, set: (x: number, y: number) => void): void {
  for (let ring = 0; ring < 7; ring += 2) {
    for (let at = center - ring; at <= center + ring; at++) {
      for (const side of [center - ring, center + ring]) {
        set(at, side);
        set(side, at);
      }
    }
  }
  // Orientation marks.
  for (const [x, y] of [
    [-7, -7],
    [-6, -7],
    [-7, -6],
    [7, -7],
    [7, -6],
    [7, 6],
  ] as const)
    set(center + x, center + y);
}
