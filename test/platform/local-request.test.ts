import { expect, test } from 'vitest';
import { isLocalRequest } from '../../src/platform/local-request.ts';

const isLocal = (url: string, headers: Record<string, string> = {}) => isLocalRequest(new Request(url, { headers }));
const from = (address: string) => ({ 'CF-Connecting-IP': address });

test.each(['http://localhost:8787/', 'http://127.0.0.1:8787/', 'http://[::1]/'])('%s is local', (url) => {
  expect([isLocal(url), isLocal(url, from('127.0.0.1')), isLocal(url, from('::1'))]).toEqual([true, true, true]);
});

test.each([
  'https://demo.trycloudflare.com/',
  'http://192.168.1.20:8787/',
  'http://localhost.example.com/',
  'http://rebound.example/',
])('%s is not, even if a tunnel ends on this machine', (url) =>
  expect([isLocal(url), isLocal(url, from('127.0.0.1'))]).toEqual([false, false]),
);

test('is not fooled by a name that somebody in the network made up', () => {
  expect(isLocal('http://localhost:8787/', from('192.168.1.33'))).toBe(false);
});

test('is not fooled by a tunnel that rewrites the name', () => {
  for (const name of ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Via', 'Forwarded']) {
    expect(isLocal('http://localhost:8787/', { ...from('127.0.0.1'), [name]: 'elsewhere' })).toBe(false);
  }
});

test('treats a machine that uses its own network address like any other', () => {
  expect(isLocal('http://192.168.1.20:8787/', from('192.168.1.20'))).toBe(false);
  expect(isLocal('http://[fd00::20]:8787/', from('fd00::20'))).toBe(false);
  expect(isLocal('http://localhost:8787/', from('192.168.1.20'))).toBe(false);
});
