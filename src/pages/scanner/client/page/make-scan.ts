import type { ScannerConfiguration } from '../../protocol.ts';
import { aloneWith, answered, isAdmitted, settle } from '../queue/scan-queue.ts';
import { addScan, changeScan, newScan, type StoredScan, scansOfValue } from '../queue/scan-store.ts';
import { type Answer, sendScan } from '../queue/send-scan.ts';
import type { Entered } from '../views/properties-form.ts';
import { boot, word } from './boot.ts';

/** How long a person in line waits for the service, before the device says what it knows by itself. */
const PATIENCE_MILLIS = 3_000;

/** What a scan came to so far, for the person at the door. */
export interface Scanned {
  scan: StoredScan;
  /** Without an answer of the service: the scan by which this device let the same code in before. */
  earlier?: StoredScan;
  /** Kind of the service's answer, as far as it is known. */
  answerKind?: Answer['kind'];
  /** Resolves when an answer that came in time is written down. */
  isSettled?: Promise<unknown>;
}

/**
 * Makes a scan: it is sent, and stored meanwhile, so that it waits there when the answer is late or there is no line;
 * then what stands here is what the device knows. Nothing is shown that is not stored. `onLate` is called when the
 * answer comes after that.
 */
export async function makeScan(
  configuration: ScannerConfiguration,
  value: string,
  entered: Entered,
  deviceName: string,
  onLate: (answerKind: Answer['kind']) => void,
): Promise<Scanned> {
  // Begun before the scan is written, so it does not find it; needed only when the answer is late.
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
 * Keeps a scan, and its answer when it comes; `isShown` is asked then. No one else sends the scan before that. `isKept`
 * tells whether the browser keeps anything at all.
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

const VERSION_4 = 0x40;
const VARIANT = 0x80;

/** A random UUID (RFC 9562 §5.4), also for pages that did not come over https, which `crypto.randomUUID` leaves out. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | VERSION_4;
  bytes[8] = (bytes[8]! & 0x3f) | VARIANT;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
