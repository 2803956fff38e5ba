import type { ScannerOutcome, ScannerScan } from '../../protocol.ts';

/*
 * Stores every scan of this device in IndexedDB before it is sent, so that nothing is lost if the tab is closed or the
 * connection breaks. The page and the service worker share the store.
 */

/** A scan and its result. */
export interface StoredScan {
  /** UUID of the scan. */
  id: string;
  /** `/scan/{token}` of the link used for the scan. */
  base: string;
  value: string;
  scannedAt: number;
  scan: ScannerScan;
  /**
   * `waiting`: no answer yet. `conflict`: the answer is worse than what was shown, and hasn't been seen yet. `settled`:
   * answered, and seen.
   */
  state: 'waiting' | 'conflict' | 'settled';
  /** What was shown while there was no answer; null: nothing. */
  shown: 'unconfirmed' | 'used' | null;
  outcome: ScannerOutcome | null;
  /** Why the service rejected the scan itself. */
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
      // Closes the database if another tab upgrades it or the browser clears its storage.
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

/** Runs `work` in a transaction, and resolves to its result when the transaction is complete. */
async function transact<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Promise<T> | T): Promise<T> {
  const transaction = (await open()).transaction(SCANS, mode);
  const complete = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
  const [result] = await Promise.all([work(transaction.objectStore(SCANS)), complete]);
  return result;
}

/** Reads scans. A browser without storage has none. */
function list(ask: (store: IDBObjectStore) => IDBRequest<StoredScan[]>): Promise<StoredScan[]> {
  return transact('readonly', (store) => answerOf(ask(store))).catch(() => []);
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Returns a new scan without a result. */
export function newScan(base: string, scan: ScannerScan): StoredScan {
  const { id, value, scannedAt } = scan;
  const unanswered = { shown: null, outcome: null, refusal: null, isUndone: false };
  return { id, base, value, scannedAt, scan, state: 'waiting', ...unanswered };
}

/** Stores a new scan. Rejects in a browser without storage, or without free space. */
export async function addScan(scan: StoredScan): Promise<void> {
  await transact('readwrite', (store) => answerOf(store.add(scan)));
}

/** Changes a scan based on its current state; `change` returns undefined to keep it. Resolves to the resulting scan. */
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

/** Returns all scans in a state, of all links, oldest first. */
export function scansInState(state: StoredScan['state']): Promise<StoredScan[]> {
  return list((store) => store.index(BY_STATE).getAll(between([state])));
}

/** Returns the scans of a link since a time, oldest first. */
export function scansSince(base: string, since: number): Promise<StoredScan[]> {
  const range = IDBKeyRange.bound([base, since], [base, []]);
  return list((store) => store.index(BY_TIME).getAll(range));
}

/** Returns all scans of a code with a link. */
export function scansOfValue(base: string, value: string): Promise<StoredScan[]> {
  return list((store) => store.index(BY_VALUE).getAll([base, value]));
}

/** Deletes settled scans from before a time. */
export function forgetSettledBefore(time: number): Promise<void> {
  return transact('readwrite', async (store) => {
    const range = IDBKeyRange.bound(['settled'], ['settled', time]);
    for (const id of await answerOf(store.index(BY_STATE).getAllKeys(range))) store.delete(id);
  });
}

/** Returns the range of all keys that start with these parts: arrays sort after all numbers and texts. */
const between = (parts: string[]): IDBKeyRange => IDBKeyRange.bound(parts, [...parts, []]);
