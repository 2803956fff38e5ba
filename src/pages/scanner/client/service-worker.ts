import { flush, SYNC_TAG } from './queue/scan-queue.ts';

/*
 * Makes the app work offline: serves what the page has cached, and sends waiting scans when the browser is online
 * again, even without an open tab.
 */

/** Filled by the page (`page/keep-offline.ts`). */
const CACHE = 'scanner';
/** After this time, a page on a slow connection is served from the cache. */
const PAGE_WAIT_MILLIS = 4_000;

/** Background Sync (WICG draft), available in Chromium and missing in the DOM types. */
interface SyncEvent extends ExtendableEvent {
  tag: string;
}

// The DOM types, which the app needs, declare `self` as a window.
const scope = self as unknown as ServiceWorkerGlobalScope;

scope.addEventListener('install', () => void scope.skipWaiting());
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== scope.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(freshPage(request));
  else if (/^\/(client|assets)\//.test(pathname)) event.respondWith(keptFile(request));
});

scope.addEventListener('sync', (event) => {
  const { tag, waitUntil } = event as SyncEvent;
  if (tag === SYNC_TAG) waitUntil.call(event, sendAll());
});

/**
 * Returns the page from the service, which has the newest configuration, or the cached one if the device is offline or
 * slow.
 */
async function freshPage(request: Request): Promise<Response> {
  const kept = await caches.match(request.url, { cacheName: CACHE, ignoreSearch: true });
  if (!kept) return fetch(request);
  try {
    return await Promise.race([fetch(request), weakLine()]);
  } catch {
    return kept;
  }
}

function weakLine(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('the line is weak')), PAGE_WAIT_MILLIS);
  });
}

/** Returns a cached file if there is one. The addresses of these files change with their content. */
async function keptFile(request: Request): Promise<Response> {
  return (await caches.match(request.url, { cacheName: CACHE })) ?? fetch(request);
}

async function sendAll(): Promise<void> {
  const { isToRepeat } = await flush();
  // The browser repeats a failed sync.
  if (isToRepeat) throw new Error('not all scans could be sent');
}
