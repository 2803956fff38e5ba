import { boot } from '../page/boot.ts';
import type { Scanned } from '../page/make-scan.ts';
import { checkSignature } from '../page/signed-code.ts';
import { knownVerdict, type Place, signedVerdict, type Verdict, verdictOf } from './verdict.ts';

/** Returns what to show for a scan. Without an answer, it is based on what the device knows. */
export async function judge({ scan, earlier }: Scanned, where: Place): Promise<Verdict> {
  if (scan.outcome !== null || scan.refusal !== null) return verdictOf(scan, where);
  // A page cached by an earlier version has no keys.
  const publicKeys = (boot.scanner.state === 'open' && boot.scanner.publicKeys) || [];
  const signature = await checkSignature(scan.value, publicKeys);
  if (earlier && signature !== 'forged') return knownVerdict(earlier);
  return signature === 'none' ? verdictOf(scan, where) : signedVerdict(signature);
}
