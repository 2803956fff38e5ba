import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { checked } from '../../domain/check.ts';
import type { AccountContext } from '../../domain/context.ts';
import type { PageEnv } from '../../pages/page-env.ts';

const FORM_BYTES_MAX = 4 * 1024;

type Passes = typeof import('./demo-passes.ts');
type Action = (passes: Passes, demo: AccountContext, id: string, form: object) => Promise<void>;

const ACTIONS: Record<string, Action> = {
  change: (passes, demo, id, form) => passes.changeDemoPass(demo, id, checked(passes.NewValue, form)),
  scan: (passes, demo, id) => passes.scanDemoPass(demo, id),
  void: (passes, demo, id) => passes.voidDemoPass(demo, id, true),
  restore: (passes, demo, id) => passes.voidDemoPass(demo, id, false),
};

/** Routes of the demo's forms. They redirect to the front page, which shows the pass. */
export const demoRoutes = new Hono<PageEnv>();

// Only pages of the service may send a form: Hono checks `Origin` and `Sec-Fetch-Site`. Other content types have no
// form fields, and browsers send a preflight before they send one across origins.
demoRoutes.use(csrf(), bodyLimit({ maxSize: FORM_BYTES_MAX }));

demoRoutes.post('/passes', async (c) => {
  const { passes, demo, form } = await opened(c);
  return shown(c, await passes.createDemoPass(demo, checked(passes.NewPass, form)));
});

for (const [name, action] of Object.entries(ACTIONS)) {
  demoRoutes.post(`/passes/:pass/${name}`, async (c) => {
    const { passes, demo, form } = await opened(c);
    const id = c.req.param('pass')!;
    await action(passes, demo, id, form);
    return shown(c, id);
  });
}

async function opened(c: Context<PageEnv>) {
  const { demoPasses: passes, getDemo } = await import('./open-demo.tsx');
  const form = await c.req.parseBody().catch(() => ({}));
  return { passes, demo: await getDemo(c.var.ctx), form };
}

const shown = (c: Context<PageEnv>, id: string): Response => c.redirect(`/?demo=${id}#demo`, 303);
