import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { ApiEnv } from '../../src/api/api-env.ts';
import { repeatHandlers } from '../../src/api/repeat.ts';
import type { AccountContext } from '../../src/domain/context.ts';

test('a handler runs again after a transient error as the repeat of its request, with the same identifiers', async () => {
  const runs: AccountContext[] = [];
  const routes = new Hono<ApiEnv>().get('/', (c) => {
    runs.push(c.var.ctx as AccountContext);
    if (runs.length === 1) throw new Error('D1_ERROR: Network connection lost.');
    return c.text('done');
  });
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    const baseContext = { requestId: 'request', env: {} } as ApiEnv['Variables']['baseContext'];
    c.set('baseContext', baseContext);
    c.set('ctx', { ...baseContext, account: { id: 'a' } } as ApiEnv['Variables']['ctx']);
    await next();
  });
  app.route('/', repeatHandlers(routes));
  expect(await (await app.request('/')).text()).toBe('done');
  const [first, repeat, ...others] = runs;
  expect(others).toEqual([]);
  expect(first!.repeatable).toBeUndefined();
  expect(repeat!.repeatable).toMatchObject({ seed: 'request', isRepeat: true });
  expect(repeat!.identifiers).toBe(first!.identifiers);
});
