/*
 * A crowd of passes with ten properties each: common and rare names, unique texts, words, numbers, dates and a flag.
 * Everything is derived from a pass's number, so that the answers are known in advance and the same in each run.
 */

/** Additional properties of the template, with identifiers in the service's format. */
export const PROPERTIES = [
  { id: '00000000000b1.00000001', name: 'firstName', type: 'text' },
  { id: '00000000000b1.00000002', name: 'lastName', type: 'text' },
  { id: '00000000000b1.00000003', name: 'email', type: 'email' },
  { id: '00000000000b1.00000004', name: 'city', type: 'text' },
  { id: '00000000000b1.00000005', name: 'level', type: 'select', options: ['Basic', 'Silver', 'Gold', 'Platinum'] },
  { id: '00000000000b1.00000006', name: 'note', type: 'textarea' },
  { id: '00000000000b1.00000007', name: 'points', type: 'number' },
  { id: '00000000000b1.00000008', name: 'memberSince', type: 'datetime' },
  { id: '00000000000b1.00000009', name: 'newsletter', type: 'checkbox' },
  { id: '00000000000b1.00000010', name: 'code', type: 'text' },
] as const;

export type PropertyName = (typeof PROPERTIES)[number]['name'];

/** A few passes lack a property, so that queries can ask for missing values. */
const WITHOUT_CITY = 1_000;

/** Derives a pseudorandom number from two others. */
function mixed(n: number, salt: number): number {
  let value = Math.imul(n ^ (salt * 0x9e3779b1), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

const CONSONANTS = 'bcdfghjklmnprstvwz';
const VOWELS = 'aeiou';

/** Returns a pronounceable word, one of `variety`. */
function word(n: number, salt: number, variety: number, syllables: number): string {
  let left = mixed(n, salt) % variety;
  let text = '';
  for (let i = 0; i < syllables; i++) {
    text += CONSONANTS[left % CONSONANTS.length]! + VOWELS[Math.floor(left / CONSONANTS.length) % VOWELS.length]!;
    left = Math.floor(left / (CONSONANTS.length * VOWELS.length)) + salt + i;
  }
  return text[0]!.toUpperCase() + text.slice(1);
}

const LEVELS = ['Basic', 'Basic', 'Basic', 'Silver', 'Silver', 'Gold', 'Gold', 'Platinum'];
const NOTE_WORDS = 6;

/** Returns the values of the nth pass, counted from 1, as the service stores them. */
export function valuesOf(n: number): Partial<Record<PropertyName, string | boolean>> {
  const firstName = word(n, 1, 800, 2);
  const lastName = word(n, 2, 40_000, 3);
  const since = new Date(Date.UTC(2015, 0, 1) + (mixed(n, 8) % (10 * 365 * 24 * 60)) * 60_000);
  return {
    firstName,
    lastName,
    email: `${firstName}.${lastName}${n}@example.com`.toLowerCase(),
    ...(n % WITHOUT_CITY === 0 ? {} : { city: word(n, 4, 500, 3) }),
    level: LEVELS[mixed(n, 5) % LEVELS.length]!,
    note: Array.from({ length: NOTE_WORDS }, (_, i) => word(n * NOTE_WORDS + i, 6, 5_000, 3)).join(' '),
    points: String(mixed(n, 7) % 100_000),
    memberSince: since.toISOString().slice(0, 16).replace('T', ' '),
    newsletter: mixed(n, 9) % 2 === 0,
    code: mixed(n, 10).toString(36).padStart(7, '0').toUpperCase() + n.toString(36).padStart(5, '0').toUpperCase(),
  };
}
