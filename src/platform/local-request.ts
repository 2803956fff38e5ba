const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** Headers in which proxies and tunnels name the caller. */
const FORWARDING_HEADERS = [
  'Forwarded',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Real-IP',
  'Via',
];

/** Whether the service runs on a developer's machine: local scripts set ADMIN_TOKEN, and a deployment never has it. */
export function isLocalService(env: { ADMIN_TOKEN?: string }): boolean {
  return Boolean(env.ADMIN_TOKEN);
}

/** Whether an address is one of the machine itself. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address);
}

/**
 * Whether a request to a local service comes from its own machine. A name can be made up, so the connection must be a
 * loopback one: `scripts/front.ts` writes the other side's address into `CF-Connecting-IP`, which no caller can set.
 * The name must be local, too, so that a page elsewhere cannot have a browser ask under its own name.
 */
export function isLocalRequest({ url, headers }: Request): boolean {
  if (FORWARDING_HEADERS.some((name) => headers.has(name))) return false;
  const peer = headers.get('CF-Connecting-IP');
  return (peer === null || isLoopback(peer)) && LOCAL_NAMES.includes(new URL(url).hostname);
}
