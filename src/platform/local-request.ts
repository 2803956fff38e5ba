const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** Headers in which proxies and tunnels report the caller. */
const FORWARDING_HEADERS = [
  'Forwarded',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Real-IP',
  'Via',
];

/** Returns whether this is a local service: local scripts set ADMIN_TOKEN, and a deployment never has it. */
export function isLocalService(env: { ADMIN_TOKEN?: string }): boolean {
  return Boolean(env.ADMIN_TOKEN);
}

/** Returns whether an address is a loopback address. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address);
}

/**
 * Returns whether a local service's caller is on its own machine. The connection must be a loopback one:
 * `scripts/front.ts` writes the peer address into `CF-Connecting-IP`, which callers can't set. The host name must be
 * local, too, so that other sites' pages can't send requests under their own name.
 */
export function isLocalRequest({ url, headers }: Request): boolean {
  if (FORWARDING_HEADERS.some((name) => headers.has(name))) return false;
  const peer = headers.get('CF-Connecting-IP');
  return (peer === null || isLoopback(peer)) && LOCAL_NAMES.includes(new URL(url).hostname);
}
