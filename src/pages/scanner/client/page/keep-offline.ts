import { SYNC_TAG } from '../queue/scan-queue.ts';
import { scriptUrl } from './script-url.ts';

/** Read by the service worker. */
const CACHE = 'scanner';
const SCOPE = '/scan/';

interface SyncManager {
  register(tag: string): Promise<void>;
}

/** Caches this page and its files for the service worker, and deletes files of older versions. */
export async function keepOffline(base: string, serviceWorker: string, files: string[]): Promise<void> {
  if (!navigator.serviceWorker) return;
  await navigator.serviceWorker.register(scriptUrl(serviceWorker), { scope: SCOPE });
  const cache = await caches.open(CACHE);
  const kept = await cache.keys();
  const paths = new Set(kept.map(({ url }) => new URL(url).pathname));
  await Promise.all([cache.add(base), ...files.filter((path) => !paths.has(path)).map((path) => cache.add(path))]);
  // Cached pages of other links on this device stay. They are updated when they are opened.
  const isOld = (path: string) => !path.startsWith(SCOPE) && !files.includes(path);
  const old = kept.filter(({ url }) => isOld(new URL(url).pathname));
  await Promise.all(old.map((request) => cache.delete(request)));
}

/**
 * Asks the browser to send waiting scans once it is online, even if the tab is closed. Not all browsers support this.
 */
export async function sendLater(): Promise<void> {
  // Otherwise, a browser that is short of storage could delete waiting scans.
  void navigator.storage?.persist?.();
  const registration = await navigator.serviceWorker?.getRegistration(SCOPE);
  const { sync } = (registration ?? {}) as { sync?: SyncManager };
  await sync?.register(SYNC_TAG).catch(() => {
    // The user has disabled it. The page itself tries again.
  });
}
