import { SYNC_TAG } from '../queue/scan-queue.ts';
import { scriptUrl } from './script-url.ts';

/** Read by the service worker. */
const CACHE = 'scanner';
const SCOPE = '/scan/';

interface SyncManager {
  register(tag: string): Promise<void>;
}

/**
 * Puts this page and its files where the service worker finds them without a line, and drops files of older versions.
 */
export async function keepOffline(base: string, serviceWorker: string, files: string[]): Promise<void> {
  if (!navigator.serviceWorker) return;
  await navigator.serviceWorker.register(scriptUrl(serviceWorker), { scope: SCOPE });
  const cache = await caches.open(CACHE);
  const kept = await cache.keys();
  const paths = new Set(kept.map(({ url }) => new URL(url).pathname));
  await Promise.all([cache.add(base), ...files.filter((path) => !paths.has(path)).map((path) => cache.add(path))]);
  // Pages of other links on this device stay; they are rewritten when they are opened.
  const isOld = (path: string) => !path.startsWith(SCOPE) && !files.includes(path);
  const old = kept.filter(({ url }) => isOld(new URL(url).pathname));
  await Promise.all(old.map((request) => cache.delete(request)));
}

/**
 * Asks the browser to send what waits as soon as there is a line, even when the tab is closed by then. Not all browsers
 * can.
 */
export async function sendLater(): Promise<void> {
  // A browser that runs short of space would throw the waiting scans away.
  void navigator.storage?.persist?.();
  const registration = await navigator.serviceWorker?.getRegistration(SCOPE);
  const { sync } = (registration ?? {}) as { sync?: SyncManager };
  await sync?.register(SYNC_TAG).catch(() => {
    // Switched off by the person; the page itself tries again.
  });
}
