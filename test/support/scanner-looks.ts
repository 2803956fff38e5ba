import { type Look, PHONE } from './page-faults.ts';

/** The colors of a scanner in these tests. */
export const COLORS = { backgroundColor: '#14213d', textColor: '#ffffff' };
const UPRIGHT: Look = { viewport: PHONE, colorScheme: 'light' };
/** Each state is opened once, and then looked at like on a phone that is turned, and on a tablet. */
const LOOKS: Look[] = [
  { viewport: { width: 844, height: 390 }, colorScheme: 'light' },
  { viewport: { width: 1024, height: 768 }, colorScheme: 'light' },
  { viewport: PHONE, colorScheme: 'dark' },
  UPRIGHT,
];

/** Where the states of the scanner are looked at. */
export const DEVICES: { name: string; looks: Look[]; locale?: string }[] = [
  { name: 'phone and a tablet, light and dark', looks: LOOKS },
  { name: 'phone, in German', looks: [UPRIGHT], locale: 'de-AT' },
];
