import type { GateConfiguration, GateScan } from '../../protocol.ts';
import { aloneWith, answered, isAdmitted, settle } from '../outbox/outbox.ts';
import { addScan, changeScan, newScan, type StoredScan, scansOfValue } from '../outbox/scan-store.ts';
import { type Answer, sendScan } from '../outbox/send-scan.ts';
import type { Entered } from '../views/properties-form.ts';
import { boot, word } from './boot.ts';
import { newUuid } from './new-uuid.ts';

/** How long a person in line waits for the service, before the device says what it knows by itself. */
const PATIENCE_MILLIS = 3_000;

/** What a scan came to so far, for the person at the door. */
export interface Scanned {
  scan: StoredScan;
  /** Without an answer of the service: the scan by which this device let the same code in before. */
  earlier?: StoredScan;
  /** What sending it met, as far as that is known. */
  met?: Answer['kind'];
}

/**
 * Makes a scan: it is stored, then sent; what stands here when the answer is late, or there is no line, is what the device knows. `onLate` is called when the answer comes after that.
 */
export async function makeScan(
  configuration: GateConfiguration,
  value: string,
  entered: Entered,
  deviceName: string,
  onLate: (met: Answer['kind']) => void,
): Promise<Scanned> {
  // Begun before the scan is written, so it does not find it; needed only when the answer is late.
  const before = scansOfValue(boot.base, value);
  const id = newUuid();
  const sentScan: GateScan = {
    id,
    configurationId: configuration.id,
    value,
    scannedAt: Date.now(),
    deviceName: deviceName || null,
    ...entered,
  };
  const scan = newScan(boot.base, sentScan);
  const isKept = await addScan(scan).then(
    () => true,
    () => false,
  );
  if (!isKept) return makeUnkept(scan);
  let isLate = false;
  const sent = aloneWith(id, async () => {
    const answer = await sendScan(boot.base, sentScan);
    const settled = await settle(id, answer, !isLate);
    if (isLate) onLate(answer.kind);
    return { answer, settled };
  });
  const inTime = await Promise.race([sent, patience()]);
  const met = inTime?.answer.kind;
  if (inTime?.settled && inTime.settled.state !== 'waiting') return { scan: inTime.settled, met };
  isLate = true;
  const earlier = configuration.scanMode === 0 ? (await before).find(hasLetIn(configuration.id)) : undefined;
  const shown = await changeScan(id, ({ state, shown: already }) => {
    return state === 'waiting' && already === null ? { shown: earlier ? 'used' : 'unconfirmed' } : undefined;
  });
  return { scan: shown ?? scan, earlier, met };
}

/** A scan that this browser cannot keep counts only if it is answered. */
async function makeUnkept(scan: StoredScan): Promise<Scanned> {
  const answer = await sendScan(scan.base, scan.scan);
  const changes = answered(scan, answer, true) ?? { refusal: word('notKept'), state: 'settled' as const };
  return { scan: { ...scan, ...changes }, met: answer.kind };
}

function patience(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, PATIENCE_MILLIS, undefined));
}

/** Whether a scan let its holder in: by the answer, or on the word of the person at the door. */
function hasLetIn(configurationId: string) {
  return ({ scan, outcome, refusal, isUndone }: StoredScan): boolean =>
    scan.configurationId === configurationId &&
    !isUndone &&
    refusal === null &&
    (outcome === null || isAdmitted(outcome.status));
}
