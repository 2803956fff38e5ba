import { isLoopback } from './local-request.ts';

/**
 * Groups of an IPv6 address that name a network: providers hand out a whole /64, so one caller has all addresses in it.
 */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/**
 * The network that a request comes from, as a key for limits: an IPv4 address, or the /64 of an IPv6 address. Undefined
 * for the machine that a local service runs on, and where nobody says.
 */
export function clientNetwork(headers: Headers): string | undefined {
  const address = headers.get('CF-Connecting-IP')?.trim().toLowerCase();
  if (!address || isLoopback(address)) return undefined;
  if (!address.includes(':') || address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [before = '', after] = address.split('::');
  const groupsOf = (text = '') => (text === '' ? [] : text.split(':'));
  const [first, last] = [groupsOf(before), groupsOf(after)];
  const zeros = after === undefined ? 0 : Math.max(0, GROUPS - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last];
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
