import type { GateOutcome } from '../../protocol.ts';
import type { Tone } from '../feedback/signals.ts';
import type { StoredScan } from '../outbox/scan-store.ts';
import { numberText, timeText, word } from '../page/boot.ts';

/** What a scan says to the person at the door. */
export interface Verdict {
  tone: Tone;
  /** One or two words, read from afar. */
  word: string;
  /** Who or what the pass is for; empty when it does not say. */
  holder: string;
  /** What the pass is called; empty when there is none. */
  pass: string;
  /** Why. */
  text: string;
  /** The value of the pass; empty when it has none. */
  value: string;
}

/** The name of the configuration, for what a pass is not good for. */
export interface Place {
  name: string;
  place: string;
}

const NO_PASS = { holder: '', pass: '', value: '' };

export function verdictOf(scan: StoredScan, where: Place): Verdict {
  if (scan.refusal !== null) return { tone: 'bad', word: word('notTaken'), text: scan.refusal, ...NO_PASS };
  if (scan.outcome) return verdictOfOutcome(scan.outcome, where);
  const text = word('unconfirmedText');
  return { tone: 'open', word: word('unconfirmed'), text, ...NO_PASS };
}

/** What a device knows by itself: that it has let this code in before. */
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

function verdictOfOutcome(outcome: GateOutcome, { name, place }: Place): Verdict {
  const value = outcome.storedValue === null ? '' : word('storedValue', { value: numberText(outcome.storedValue) });
  const verdict = (tone: Tone, key: string, text: string): Verdict => {
    return { tone, word: word(key), text, value, ...namesOf(outcome) };
  };
  const usedAt = outcome.usedAt === null ? '' : word('usedAtText', { time: timeText(outcome.usedAt) });
  switch (outcome.status) {
    case 0:
      return verdict('good', 'valid', word('validText'));
    case 2:
      return verdict('good', 'noted', word('notedText'));
    case 1:
      if (outcome.reason === 'elsewhere') return verdict('warning', 'wrongPlace', word('wrongPlaceText', { place }));
      return verdict('warning', 'alreadyUsed', usedAt || word(outcome.reason === 'used' ? 'usedText' : 'voidedText'));
    case 3:
      if (outcome.reason === 'uncovered') return verdict('bad', 'wrongPass', word('wrongPassText', { name }));
      return verdict('bad', 'unknown', word('unknownText'));
    default:
      return verdict('open', 'recorded', '');
  }
}

function namesOf({ holder, passName }: GateOutcome): Pick<Verdict, 'holder' | 'pass'> {
  return { holder: holder ?? '', pass: passName ?? '' };
}
