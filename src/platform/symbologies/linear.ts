/*
 * Linear codes with a small character set: EAN-13, Code 39, Codabar and Interleaved 2 of 5. Each function returns the
 * modules of a symbol, where 1 is dark; undefined for a text that the code can't hold.
 */

/** No scanner can read longer symbols. */
const CHARS_MAX = 80;
const WIDE = 3;

/** Converts alternating bars and spaces, where 1 is wide, to modules. */
function elements(pattern: string): number[] {
  return [...pattern].flatMap((width, i) => Array<number>(width === '1' ? WIDE : 1).fill(1 - (i % 2)));
}

/** Joins characters with a narrow space. */
function spaced(patterns: string[]): number[] {
  return patterns.flatMap((pattern, i) => (i === 0 ? elements(pattern) : [0, ...elements(pattern)]));
}

function tableOf(text: string): Record<string, string> {
  return Object.fromEntries(text.split(' ').map((entry) => [entry[0]!, entry.slice(1)]));
}

/** ISO/IEC 16388, table 1; `_` stands for the space. */
const CODE39 = tableOf(
  '0000110100 1100100001 2001100001 3101100000 4000110001 5100110000 6001110000 7000100101 8100100100 9001100100 ' +
    'A100001001 B001001001 C101001000 D000011001 E100011000 F001011000 G000001101 H100001100 I001001100 J000011100 ' +
    'K100000011 L001000011 M101000010 N000010011 O100010010 P001010010 Q000000111 R100000110 S001000110 T000010110 ' +
    'U110000001 V011000001 W111000000 X010010001 Y110010000 Z011010000 -010000101 .110000100 _011000100 $010101000 ' +
    '/010100010 +010001010 %000101010 *010010100',
);

/** Digits, capitals, space and `-.$/+%`. */
function encodeCode39(text: string): number[] | undefined {
  if (!/^[0-9A-Z .$/+%-]+$/.test(text) || text.length > CHARS_MAX) return undefined;
  return spaced([...`*${text.replaceAll(' ', '_')}*`].map((character) => CODE39[character]!));
}

/** EN 798, table 1. A to D are start and stop letters. */
const CODABAR = tableOf(
  '00000011 10000110 20001001 31100000 40010010 51000010 60100001 70100100 80110000 91001000 ' +
    '-0001100 $0011000 :1000101 /1010001 .1010100 +0010101 A0011010 B0101001 C0001011 D0001110',
);

/** Digits and `-$:/.+` between a start and a stop letter (A to D). Without letters, both are A. */
function encodeCodabar(text: string): number[] | undefined {
  const framed = /^[A-D].*[A-D]$/.test(text) ? text : `A${text}A`;
  if (!/^[A-D][0-9\-$:/.+]+[A-D]$/.test(framed) || text.length > CHARS_MAX) return undefined;
  return spaced([...framed].map((character) => CODABAR[character]!));
}

/** ISO/IEC 16390, table 1. */
const ITF = '00110 10001 01001 11000 00101 10100 01100 00011 10010 01010'.split(' ');

/** An even number of digits. Each pair shares its bars and spaces. */
function encodeItf(text: string): number[] | undefined {
  if (!/^(\d\d)+$/.test(text) || text.length > CHARS_MAX) return undefined;
  const pairs = text.match(/\d\d/g)!.map((pair) => {
    const [bars, spaces] = [ITF[Number(pair[0])]!, ITF[Number(pair[1])]!];
    return [...bars].map((bar, i) => bar + spaces[i]).join('');
  });
  return [...elements('0000'), ...pairs.flatMap(elements), ...elements('100')];
}

/** ISO/IEC 15420, tables 1 and 3: digits of set A, and which digits of the left half use set B. */
const EAN_DIGITS = '0001101 0011001 0010011 0111101 0100011 0110001 0101111 0111011 0110111 0001011'.split(' ');
const EAN_SETS = '000000 001011 001101 001110 010011 011001 011100 010101 010110 011010'.split(' ');

/** 13 digits, of which the last one is the check digit. Readers return all 13, so a value of 12 would never match. */
function encodeEan13(text: string): number[] | undefined {
  if (!/^\d{13}$/.test(text)) return undefined;
  const digits = [...text.slice(0, 12)].map(Number);
  const sum = digits.reduce((total, digit, i) => total + digit * (i % 2 === 0 ? 1 : 3), 0);
  const check = (10 - (sum % 10)) % 10;
  if (Number(text[12]) !== check) return undefined;
  const inverted = (bits: string) => [...bits].map((bit) => (bit === '1' ? '0' : '1')).join('');
  const sets = EAN_SETS[digits[0]!]!;
  const left = digits.slice(1, 7).map((digit, i) => {
    const bits = EAN_DIGITS[digit]!;
    return sets[i] === '1' ? [...inverted(bits)].reverse().join('') : bits;
  });
  const right = [...digits.slice(7), check].map((digit) => inverted(EAN_DIGITS[digit]!));
  return [...`101${left.join('')}01010${right.join('')}101`].map(Number);
}

/** Encoders by the name of the code. */
export const LINEAR_ENCODERS = {
  ean13: encodeEan13,
  code39: encodeCode39,
  codabar: encodeCodabar,
  itf: encodeItf,
};
