import type { ScannerOutcome, ValidityReason } from '../../protocol.ts';
import type { Tone } from '../feedback/signals.ts';
import { localDateText, numberText, timeText, word } from '../page/boot.ts';
import type { StoredScan } from '../queue/scan-store.ts';

/** Result of a scan for the person at the door. */
export interface Verdict {
  tone: Tone;
  /** One or two words, readable from a distance. */
  word: string;
  /** Who or what the pass is for; empty if unknown. */
  holder: string;
  /** Name of the pass; empty if there is none. */
  pass: string;
  /** The reason. */
  text: string;
  /** The stored value of the pass; empty if it has none, or a new one. */
  value: string;
  /** The value that the scan has set; empty if it didn't change. */
  newValue: string;
}

/** The name of the configuration, for passes that it doesn't accept. */
export interface Place {
  name: string;
  place: string;
}

const NO_PASS = { holder: '', pass: '', value: '', newValue: '' };

export function verdictOf(scan: StoredScan, where: Place): Verdict {
  if (scan.refusal !== null) return { tone: 'bad', word: word('notTaken'), text: scan.refusal, ...NO_PASS };
  if (scan.outcome) return verdictOfOutcome(scan.outcome, where);
  const text = word('unconfirmedText');
  return { tone: 'open', word: word('unconfirmed'), text, ...NO_PASS };
}

/** Returns the device's own result: whether the account has signed the code. */
export function signedVerdict(signature: 'genuine' | 'forged'): Verdict {
  const tone = signature === 'genuine' ? 'open' : 'bad';
  return { tone, word: word(signature), text: word(`${signature}Text`), ...NO_PASS };
}

/** Returns the device's own result: it has accepted this code before. */
export function knownVerdict(earlier: StoredScan): Verdict {
  const text = word('alreadyScannedText', { time: timeText(earlier.scannedAt) });
  return {
    tone: 'warning',
    word: word('alreadyScanned'),
    text,
    ...NO_PASS,
    ...(earlier.outcome && namesOf(earlier.outcome)),
  };
}

/** The word for each reason. */
const REASON_WORDS: Record<ValidityReason, string> = {
  not_found: 'unknown',
  stale_code: 'staleCode',
  voided: 'alreadyUsed',
  not_yet_valid: 'notYetValid',
  expired: 'expired',
  wrong_place: 'wrongPlace',
  already_used: 'alreadyUsed',
  limit_reached: 'limitReached',
};

export const reasonWord = (reason: ValidityReason): string => word(REASON_WORDS[reason]);

/** Returns why a pass was rejected, with the date or time if there is one. */
function reasonText({ validityReason, usedAt, limit, validFrom, expiredOn }: ScannerOutcome, place: string): string {
  const used = usedAt === null ? '' : word('usedAtText', { time: timeText(usedAt) });
  switch (validityReason) {
    case 'stale_code':
      return word('staleCodeText');
    case 'not_yet_valid':
      return validFrom === null ? '' : word('notYetValidText', { date: localDateText(validFrom) });
    case 'expired':
      return expiredOn === null ? '' : word('expiredText', { date: localDateText(expiredOn) });
    case 'wrong_place':
      return word('wrongPlaceText', { place });
    case 'limit_reached':
      if (limit === 'day') return `${word('limitDayText')} ${used}`.trim();
      return word(limit === 'stamps' ? 'limitStampsText' : 'limitText');
    default:
      return used || word(validityReason === 'already_used' ? 'usedText' : 'voidedText');
  }
}

/** Reasons in outcomes that earlier versions have stored on this device. */
const EARLIER_REASONS: Record<string, ValidityReason> = { used: 'already_used', elsewhere: 'wrong_place' };

/** Converts an outcome that an earlier version has stored. */
function upToDate(stored: ScannerOutcome & { reason?: string }): ScannerOutcome {
  const { reason } = stored;
  if (reason === undefined) return stored;
  const validityReason = EARLIER_REASONS[reason] ?? null;
  const unknown = { limit: null, newValue: null, validFrom: null, expiredOn: null };
  return { ...stored, ...unknown, validityReason, isUncovered: reason === 'uncovered' };
}

function verdictOfOutcome(stored: ScannerOutcome, { name, place }: Place): Verdict {
  const outcome = upToDate(stored);
  const { storedValue, validityReason } = outcome;
  const newValue = outcome.newValue === null ? '' : numberText(outcome.newValue);
  const value = storedValue === null || newValue ? '' : word('storedValue', { value: numberText(storedValue) });
  const verdict = (tone: Tone, key: string, text: string): Verdict => {
    return { tone, word: word(key), text, value, newValue, ...namesOf(outcome) };
  };
  switch (outcome.status) {
    case 0:
      return verdict('good', 'valid', word('validText'));
    case 2:
      return verdict('good', 'noted', word('notedText'));
    case 1:
      return verdict('warning', REASON_WORDS[validityReason ?? 'voided'], reasonText(outcome, place));
    case 3:
      if (outcome.isUncovered) return verdict('bad', 'wrongPass', word('wrongPassText', { name }));
      return verdict('bad', 'unknown', word('unknownText'));
    default:
      return verdict('open', 'recorded', '');
  }
}

function namesOf({ holder, passName }: ScannerOutcome): Pick<Verdict, 'holder' | 'pass'> {
  return { holder: holder ?? '', pass: passName ?? '' };
}
