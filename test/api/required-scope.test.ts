import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { ApiEnv } from '../../src/api/api-env.ts';
import { requireScope } from '../../src/api/auth.ts';
import { operation } from '../../src/api/operation.ts';
import { ALL_RIGHTS } from '../../src/domain/api-keys/rights.ts';

/* Mistakes of the code, which no operation of the contract has. */

const DOC = { id: 'getThing', summary: 'Get the thing', tag: 'Things', replies: {} };

/** Returns the status for a key with all scopes. `failures` gets the errors that the caller doesn't see. */
async function ask(path: string, failures: string[] = []): Promise<number> {
  const app = new Hono<ApiEnv>();
  app.onError((error, c) => {
    failures.push(error.message);
    return c.text('', 500);
  });
  app.use(async (c, next) => {
    c.set('rights', ALL_RIGHTS);
    await next();
  }, requireScope);
  app.get('/scoped', operation({ ...DOC, scope: 'passes:read' }), (c) => c.text(''));
  app.get('/open', operation({ ...DOC, open: true }), (c) => c.text(''));
  app.get('/forgotten', operation(DOC), (c) => c.text(''));
  app.get('/undocumented', (c) => c.text(''));
  app.all('*', (c) => c.text('', 404));
  return (await app.request(path)).status;
}

test.each(['/forgotten', '/undocumented'])('a route that names no scope, %s, answers no key', async (path) => {
  const failures: string[] = [];
  expect(await ask(path, failures)).toBe(500);
  expect(failures).toEqual([expect.stringMatching(/names no scope$/)]);
});

test.each([
  ['/scoped', 200],
  ['/open', 200],
  ['/unknown', 404],
])('%s is a %i', async (path, status) => {
  expect(await ask(path)).toBe(status);
});
