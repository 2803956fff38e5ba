import { Hono } from 'hono';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { secureHeaders } from '../../src/api/secure-headers.ts';
import { type Client, freshAccount } from '../support/api.ts';

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

const head = async (path: string, init: RequestInit = {}) =>
  (await fetch(new URL(path, inject('worker').origin), { redirect: 'manual', ...init })).headers;

describe('replies of the API', () => {
  test('are neither cached nor sniffed: JSON, failures, empty ones', async () => {
    const { identifier } = await client.createPass(templateId);
    const replies = [
      await client.get('/api/pass-template'),
      await client.get('/api/v3/pass/nothing'),
      await client.put(`/api/pass/${identifier}`, { voided: true }),
      await client.delete(`/api/pass/${identifier}`),
      await client.get('/api/nothing'),
    ];
    for (const { headers } of replies) {
      expect([headers.get('Cache-Control'), headers.get('X-Content-Type-Options')]).toEqual(['no-store', 'nosniff']);
    }
    const stranger = await head('/api/pass-template');
    expect([stranger.get('Cache-Control'), stranger.get('X-Content-Type-Options')]).toEqual(['no-store', 'nosniff']);
  });
});

test('every kind of reply has nosniff, and only those over https have Strict-Transport-Security', async () => {
  const { linkToPassPage, linkToPassFile } = await client.createPass(templateId);
  for (const path of [
    '/',
    '/docs',
    '/health',
    '/openapi.json',
    '/console',
    '/nothing',
    linkToPassPage,
    linkToPassFile,
  ]) {
    const headers = await head(path);
    expect([path, headers.get('X-Content-Type-Options')]).toEqual([path, 'nosniff']);
    expect(headers.get('Strict-Transport-Security')).toBeNull();
  }
});

test('a service over https sets Strict-Transport-Security for a year', async () => {
  const app = new Hono<{ Variables: { baseContext: never } }>()
    .use(async (c, next) => {
      c.set('baseContext', { baseUrl: 'https://passes.example' } as never);
      await next();
    })
    .use(secureHeaders as never)
    .get('/', (c) => c.text(''));
  expect((await app.request('/')).headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
});

test('pages allow no camera, location or payment', async () => {
  const { linkToPassPage } = await client.createPass(templateId);
  for (const path of ['/', '/docs', linkToPassPage]) {
    expect((await head(path)).get('Permissions-Policy')).toMatch(/camera=\(\).*geolocation=\(\).*payment=\(\)/);
  }
});
