import { cheapestPath, type Step } from './cheapest-path.ts';

/** Widths of bars and spaces by value (ISO/IEC 15417, table 1). The last one is the stop character. */
const PATTERNS = (
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 ' +
  '123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 ' +
  '232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 ' +
  '313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 ' +
  '111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 ' +
  '111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 ' +
  '114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112'
).split(' ');
const STOP = 106;
const MODULUS = 103;
const SHIFT = 98;

/** Code sets A, B and C. Adding UPPER to A or B gives the same set with the upper half of Latin-1 (FNC4 latched). */
const [A, B, C, UPPER] = [0, 1, 2, 3];
const SETS = [A!, B!, C!];
/** Symbols that start each code set, and symbols that switch to it. */
const START = [103, 104, 105];
const LATCH = [101, 100, 99];
const FNC4 = [101, 100];

/** Maximum symbols for a change of code set and Latin-1 half. */
const SLACK = 4;

/** No scanner can read longer symbols. */
const BYTES_MAX = 500;

/** Returns the modules of a symbol for bytes of ISO 8859-1, where 1 is dark; undefined if it would be too long. */
export function encodeCode128(bytes: Uint8Array): number[] | undefined {
  if (bytes.length > BYTES_MAX) return undefined;
  const starts = SETS.map((set) => ({ to: set, bytes: 0, cost: 1, token: [START[set]!] }));
  const values = cheapestPath<number[]>(bytes.length, starts, SLACK, (at, state) => stepsFrom(bytes, at, state)).flat();
  const sum = values.reduce((total, value, i) => total + value * Math.max(1, i), 0);
  return [...values, sum % MODULUS, STOP].flatMap((value) =>
    [...PATTERNS[value]!].flatMap((width, i) => Array<number>(Number(width)).fill(1 - (i % 2))),
  );
}

/** Yields the steps from a state. A state is a code set, plus three if the upper half is latched. */
function* stepsFrom(bytes: Uint8Array, at: number, state: number): Generator<Step<number[]>> {
  const set = state % UPPER!;
  const isUpper = state >= UPPER!;
  for (const to of SETS) if (to !== set) yield { to: state - set + to, bytes: 0, cost: 1, token: [LATCH[to]!] };
  if (set === C) {
    const pair = digitAt(bytes, at) * 10 + digitAt(bytes, at + 1);
    if (pair >= 0) yield { to: state, bytes: 2, cost: 1, token: [pair] };
    return;
  }
  const fnc4 = FNC4[set]!;
  yield { to: isUpper ? state - UPPER! : state + UPPER!, bytes: 0, cost: 2, token: [fnc4, fnc4] };
  const byte = bytes[at]!;
  const inOther = byte >= 0x80 !== isUpper ? [fnc4] : [];
  const own = valueIn(set, byte & 0x7f);
  if (own !== undefined) yield { to: state, bytes: 1, cost: 1 + inOther.length, token: [...inOther, own] };
  const shifted = valueIn(1 - set, byte & 0x7f);
  if (own === undefined && inOther.length === 0) yield { to: state, bytes: 1, cost: 2, token: [SHIFT, shifted!] };
}

/** Returns a digit's value. The value for other characters stays negative even as the tens of a pair. */
function digitAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  return byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : -100;
}

/**
 * Returns the value of an ASCII character in code set A (without lowercase letters) or B (without control characters).
 */
function valueIn(set: number, ascii: number): number | undefined {
  if (ascii >= 0x20 && ascii < 0x60) return ascii - 0x20;
  if (set === A) return ascii < 0x20 ? ascii + 0x40 : undefined;
  return ascii >= 0x60 ? ascii - 0x20 : undefined;
}
