import { flush, SYNC_TAG } from './queue/scan-queue.ts';

/*
 * Keeps the app usable without a line: it answers with what the page has put into the cache, and sends waiting scans
 * when the browser says that the line is back, also while no tab is open.
 */

/** Filled by the page (`page/keep-offline.ts`). */
const CACHE = 'scanner';
/** A page that takes longer on a weak line comes from the cache. */
const PAGE_WAIT_MILLIS = 4_000;

/** Background Sync (WICG draft), which Chromium has; the DOM's types do not know it. */
interface SyncEvent extends ExtendableEvent {
  tag: string;
}

// The DOM's types, which the app beside it needs, take `self` for a window.
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
 * The page from the service, which knows the newest configuration; without a line, or with a weak one, the one kept
 * here.
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

/** The addresses of these files change with their content, so a kept one is as good as a new one. */
async function keptFile(request: Request): Promise<Response> {
  return (await caches.match(request.url, { cacheName: CACHE })) ?? fetch(request);
}

async function sendAll(): Promise<void> {
  const { isToRepeat } = await flush();
  // The browser tries a sync that has failed again.
  if (isToRepeat) throw new Error('not all scans could be sent');
}
