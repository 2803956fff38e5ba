import { expect, test } from 'vitest';
import { includesRange, isIpRange } from '../../src/platform/ip-ranges.ts';

test.for([
  '203.0.113.7',
  '203.0.113.0/24',
  '0.0.0.0/0',
  '2001:db8::1',
  '2001:DB8::/32',
  '::',
  '::/0',
  '::ffff:203.0.113.7',
  '1:2:3:4:5:6:7:8',
])('%s is an address or a range', (text) => {
  expect(isIpRange(text)).toBe(true);
});

test.for([
  '',
  'localhost',
  '203.0.113',
  '203.0.113.256',
  '203.0.113.07',
  '203.0.113.0/33',
  '203.0.113.0/',
  '203.0.113.0/08',
  '2001:db8::1::2',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7::8:9',
  '12345::',
  '::/129',
  'fe80::1%eth0',
  '::1.2.3',
])('"%s" is not', (text) => {
  expect(isIpRange(text)).toBe(false);
});

test.for([
  ['203.0.113.0/24', '203.0.113.255', true],
  ['203.0.113.77/24', '203.0.113.1', true],
  ['203.0.113.0/24', '203.0.114.0', false],
  ['203.0.113.0/24', '203.0.113.0/25', true],
  ['203.0.113.0/25', '203.0.113.0/24', false],
  ['0.0.0.0/0', '198.51.100.1', true],
  ['::/0', '198.51.100.1', false],
  ['::/0', '2001:db8::1', true],
  ['2001:db8::/32', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2001:db8::/32', '2001:db9::', false],
  ['2001:db8::1', '2001:0DB8:0:0:0:0:0:1', true],
  ['203.0.113.7', '::ffff:203.0.113.7', true],
  ['::ffff:203.0.113.0/120', '203.0.113.9', true],
  ['203.0.113.7', '', false],
] as const)('%s includes %s: %s', ([outer, inner, isIncluded]) => {
  expect(includesRange(outer, inner)).toBe(isIncluded);
});
