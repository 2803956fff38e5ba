const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** What proxies and tunnels say of whom they stand for. */
const FORWARDING_HEADERS = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host'];

/** Whether an address is one of the machine itself. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address);
}

/**
 * Whether a request to a local service comes from the machine that it runs on. A name alone can be made up by whoever is in the same network, so the address of the other side must say
 * the same, where wrangler tells it: the loopback, or the machine's own address that was called.
 */
export function isLocalRequest({ url, headers }: Request): boolean {
  if (FORWARDING_HEADERS.some((name) => headers.has(name))) return false;
  const { hostname } = new URL(url);
  const peer = headers.get('CF-Connecting-IP');
  if (peer === null || isLoopback(peer)) return LOCAL_NAMES.includes(hostname);
  return hostname === (peer.includes(':') ? `[${peer}]` : peer);
}
