import type { ScannerConfiguration } from '../../protocol.ts';
import { aloneWith, answered, isAdmitted, settle } from '../queue/scan-queue.ts';
import { addScan, changeScan, newScan, type StoredScan, scansOfValue } from '../queue/scan-store.ts';
import { type Answer, sendScan } from '../queue/send-scan.ts';
import type { Entered } from '../views/properties-form.ts';
import { boot, word } from './boot.ts';

/** How long to wait for the service before the device shows what it knows. */
const PATIENCE_MILLIS = 3_000;

/** Result of a scan so far, for the person at the door. */
export interface Scanned {
  scan: StoredScan;
  /** Without an answer: the earlier scan in which this device accepted the same code. */
  earlier?: StoredScan;
  /** Kind of the service's answer, if known. */
  answerKind?: Answer['kind'];
  /** Resolves when an answer that arrived in time is stored. */
  isSettled?: Promise<unknown>;
}

/**
 * Sends a scan and stores it at the same time, so it waits in the store if the answer is late or the device is offline.
 * Then the result is what the device knows. Only stored scans are shown. Calls `onLate` for a later answer.
 */
export async function makeScan(
  configuration: ScannerConfiguration,
  value: string,
  entered: Entered,
  deviceName: string,
  onLate: (answerKind: Answer['kind']) => void,
): Promise<Scanned> {
  // Starts before the scan is stored, so it doesn't find this scan. Needed only if the answer is late.
  const before = scansOfValue(boot.base, value);
  const id = newUuid();
  const now = Date.now();
  const about = { id, configurationId: configuration.id, value, scannedAt: now, deviceName: deviceName || null };
  const scan = newScan(boot.base, { ...about, ...entered });
  const sending = sendScan(boot.base, scan.scan);
  let isLate = false;
  const { isKept, isSettled } = store(scan, sending, () => !isLate);
  const answer = await Promise.race([sending, patience()]);
  const changes = answer && answered(scan, answer, true);
  const answerKind = answer?.kind;
  isLate = !changes;
  if (changes) {
    await isKept;
    return { scan: { ...scan, ...changes }, answerKind, isSettled };
  }
  if (!answer) void isSettled.then(async () => onLate((await sending).kind));
  if (!(await isKept)) return { scan: { ...scan, refusal: word('notKept'), state: 'settled' }, answerKind };
  const earlier = configuration.scanMode === 0 ? (await before).find(hasLetIn(configuration.id)) : undefined;
  const shown = await changeScan(id, ({ state, shown: already }) => {
    return state === 'waiting' && already === null ? { shown: earlier ? 'used' : 'unconfirmed' } : undefined;
  });
  return { scan: shown ?? scan, earlier, answerKind };
}

/**
 * Stores a scan, and later its answer, for which `isShown` is called. Until then, nobody else sends the scan. `isKept`
 * resolves to whether the browser can store scans at all.
 */
function store(scan: StoredScan, sending: Promise<Answer>, isShown: () => boolean) {
  let isSettled: Promise<unknown> = Promise.resolve();
  const isKept = new Promise<boolean>((resolve) => {
    isSettled = aloneWith(scan.id, async () => {
      const kept = await addScan(scan).then(
        () => true,
        () => false,
      );
      resolve(kept);
      const answer = await sending;
      if (kept) await settle(scan.id, answer, isShown());
    });
  });
  return { isKept, isSettled };
}

const patience = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, PATIENCE_MILLIS, undefined));

/** Returns whether a scan was accepted, by the service or by the person at the door. */
function hasLetIn(configurationId: string) {
  return ({ scan, outcome, refusal, isUndone }: StoredScan): boolean =>
    scan.configurationId === configurationId &&
    !isUndone &&
    refusal === null &&
    (outcome === null || isAdmitted(outcome.status));
}

const VERSION_4 = 0x40;
const VARIANT = 0x80;

/** Returns a random UUID (RFC 9562 §5.4). `crypto.randomUUID` is missing on pages without https. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | VERSION_4;
  bytes[8] = (bytes[8]! & 0x3f) | VARIANT;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
