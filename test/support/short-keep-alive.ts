/*
 * workerd closes connections that were idle for five seconds, and `fetch` does after four. On a busy machine, `fetch`
 * might use a connection that is closing at that moment. So it closes them earlier here.
 */

const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
/** How long `fetch` keeps idle connections, in milliseconds. */
export const KEEP_ALIVE_MS = 1_500;

// The runtime creates its dispatcher on the first call of `fetch`.
await fetch('data:,');
const known = globalThis as unknown as Record<symbol, { constructor: new (options: object) => object }>;
const { constructor: Agent } = known[DISPATCHER]!;
Object.assign(globalThis, {
  [DISPATCHER]: new Agent({ keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS }),
});
