/*
 * workerd closes a connection that has been idle for five seconds. On a busy machine `fetch`, which gives one up after
 * four, would then send a request on a connection that closes at that moment. So it gives up earlier here.
 */

const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
/** How long `fetch` keeps an idle connection. */
export const KEEP_ALIVE_MS = 1_500;

// The runtime makes its dispatcher when `fetch` is called for the first time.
await fetch('data:,');
const known = globalThis as unknown as Record<symbol, { constructor: new (options: object) => object }>;
const { constructor: Agent } = known[DISPATCHER]!;
Object.assign(globalThis, {
  [DISPATCHER]: new Agent({ keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS }),
});
