import type { ScannerOutcome, ScannerScan } from '../../protocol.ts';

/*
 * Every scan of this device, in IndexedDB: written before it is sent, so that nothing is lost when the tab is closed or
 * the line breaks. The page and the service worker share it.
 */

/** A scan, and what is known about it. */
export interface StoredScan {
  /** The scan's UUID. */
  id: string;
  /** `/scan/{token}` of the link that it was made with. */
  base: string;
  value: string;
  scannedAt: number;
  scan: ScannerScan;
  /**
   * `waiting`: not answered yet. `conflict`: the answer is worse than what the person was shown, who has not seen it
   * yet. `settled`: answered, and seen.
   */
  state: 'waiting' | 'conflict' | 'settled';
  /** What the person was shown while there was no answer; null: nothing. */
  shown: 'unconfirmed' | 'used' | null;
  outcome: ScannerOutcome | null;
  /** Why the service did not take the scan at all. */
  refusal: string | null;
  isUndone: boolean;
}

const DATABASE = 'scanner';
const VERSION = 1;
const SCANS = 'scans';
const BY_STATE = 'by-state';
const BY_TIME = 'by-time';
const BY_VALUE = 'by-value';

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = () => {
      const store = request.result.createObjectStore(SCANS, { keyPath: 'id' });
      store.createIndex(BY_STATE, ['state', 'scannedAt']);
      store.createIndex(BY_TIME, ['base', 'scannedAt']);
      store.createIndex(BY_VALUE, ['base', 'value']);
    };
    request.onsuccess = () => {
      // Another tab that brings a newer version, or the browser that clears its storage, is not held up.
      request.result.onversionchange = () => request.result.close();
      request.result.onclose = () => {
        opened = undefined;
      };
      resolve(request.result);
    };
    request.onerror = () => {
      opened = undefined;
      reject(request.error);
    };
  });
  return opened;
}

/** Runs `work` in one transaction, and resolves to its result when the transaction is complete. */
async function transact<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Promise<T> | T): Promise<T> {
  const transaction = (await open()).transaction(SCANS, mode);
  const complete = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
  const [result] = await Promise.all([work(transaction.objectStore(SCANS)), complete]);
  return result;
}

/** Reads scans; a browser that keeps nothing has none. */
function list(ask: (store: IDBObjectStore) => IDBRequest<StoredScan[]>): Promise<StoredScan[]> {
  return transact('readonly', (store) => answerOf(ask(store))).catch(() => []);
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** A scan of which nothing is known yet. */
export function newScan(base: string, scan: ScannerScan): StoredScan {
  const { id, value, scannedAt } = scan;
  const unanswered = { shown: null, outcome: null, refusal: null, isUndone: false };
  return { id, base, value, scannedAt, scan, state: 'waiting', ...unanswered };
}

/** Keeps a new scan. Rejects in a browser that keeps nothing, or has no space left. */
export async function addScan(scan: StoredScan): Promise<void> {
  await transact('readwrite', (store) => answerOf(store.add(scan)));
}

/** Changes a scan by what it is now; `change` returns undefined to leave it. Resolves to the scan as it then is. */
export function changeScan(
  id: string,
  change: (scan: StoredScan) => Partial<StoredScan> | undefined,
): Promise<StoredScan | undefined> {
  return transact('readwrite', async (store) => {
    const scan: StoredScan | undefined = await answerOf(store.get(id));
    const changes = scan && change(scan);
    if (!changes) return scan;
    const changed = { ...scan, ...changes };
    await answerOf(store.put(changed));
    return changed;
  });
}

/** All scans in a state, of every link, oldest first. */
export function scansInState(state: StoredScan['state']): Promise<StoredScan[]> {
  return list((store) => store.index(BY_STATE).getAll(between([state])));
}

/** The scans of a link since a time, oldest first. */
export function scansSince(base: string, since: number): Promise<StoredScan[]> {
  const range = IDBKeyRange.bound([base, since], [base, []]);
  return list((store) => store.index(BY_TIME).getAll(range));
}

/** All scans of one code with a link. */
export function scansOfValue(base: string, value: string): Promise<StoredScan[]> {
  return list((store) => store.index(BY_VALUE).getAll([base, value]));
}

/** Forgets settled scans that were made before a time. */
export function forgetSettledBefore(time: number): Promise<void> {
  return transact('readwrite', async (store) => {
    const range = IDBKeyRange.bound(['settled'], ['settled', time]);
    for (const id of await answerOf(store.index(BY_STATE).getAllKeys(range))) store.delete(id);
  });
}

/** All keys that begin with these parts: arrays sort behind every number and text. */
function between(parts: string[]): IDBKeyRange {
  return IDBKeyRange.bound(parts, [...parts, []]);
}
