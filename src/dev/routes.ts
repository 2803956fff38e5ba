import { Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { PageEnv } from '../pages/page-env.ts';
import { clockRoutes } from './clock/clock-routes.ts';
import { demoRoutes } from './demo/demo-routes.ts';
import { DEMO_PATH } from './demo/section.tsx';
import { inboxRoutes } from './inbox/page/inbox-routes.tsx';
import { INBOX_PATH } from './inbox/page/item-view.ts';
import { showsDevInbox } from './shows-dev-inbox.ts';

/** Path of the dev inbox in the contract, which programs use. */
const FIRST_INBOX_PATH = '/dev/outbox';
const CLOCK_PATH = '/dev/clock';

/** Routes of a local service, mounted at the root. A deployment, and requests from other machines, get a 404. */
export const devRoutes = new Hono<PageEnv>();

devRoutes.use('/dev/*', async (c, next) => {
  c.set('route', matchedRoutes(c).find(({ method }) => method !== 'ALL')?.path ?? '/dev/*');
  return showsDevInbox(c) ? next() : c.notFound();
});
devRoutes.route(CLOCK_PATH, clockRoutes);
devRoutes.route(DEMO_PATH, demoRoutes);
devRoutes.route(INBOX_PATH, inboxRoutes);
devRoutes.route(FIRST_INBOX_PATH, inboxRoutes);
