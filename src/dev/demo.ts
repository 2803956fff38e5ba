import type { Context } from 'hono';
import type { PageEnv } from '../pages/page-env.ts';
import type { DevDemo } from './demo/find-demo.ts';
import { showsDevInbox } from './shows-dev-inbox.ts';

/** Returns the demo for the front page; undefined in a deployment, for other machines, and without the demo account. */
export async function devDemo(c: Context<PageEnv>): Promise<DevDemo | undefined> {
  if (!showsDevInbox(c)) return undefined;
  const { openDemo } = await import('./demo/open-demo.tsx');
  return openDemo(c.var.ctx, c.req.query('demo'));
}
