import { expect, test } from 'vitest';
import { clientNetwork } from '../../src/platform/client-network.ts';

const networkOf = (address: string) => clientNetwork(new Headers({ 'CF-Connecting-IP': address }));

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:0002:aaaa:bbbb:cccc:dddd', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::2', '0:0:0:0::/64'],
  ['fe80::', 'fe80:0:0:0::/64'],
])('%s belongs to %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('the machine of a local service, and a caller that nobody names, have none', () => {
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '']) expect(networkOf(address)).toBeUndefined();
  expect(clientNetwork(new Headers())).toBeUndefined();
});
