import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { DomainError } from '../../domain/errors.ts';
import { attempt, callerNetwork, enforceRateLimit } from '../../domain/rate-limits.ts';
import { publicOrigin } from '../../domain/service-settings/change-address.ts';
import { canBeSetUp, setUpObstacle, setUpService } from '../../domain/setup/set-up-service.ts';
import { isTimeZone } from '../../platform/dates.ts';
import type { Env } from '../../platform/env.ts';
import type { ConsoleEnv } from '../console/console-env.ts';
import { page, showError, textOf } from '../console/reply.tsx';
import { accountPath } from '../console/sections.ts';
import { keepSession } from '../session.ts';
import { visitOf } from '../visit.ts';
import { ObstaclePage, SetUpPage } from './setup-pages.tsx';

/** Far more than the form's four fields need. */
const FORM_BYTES_MAX = 16 * 1024;

/**
 * `/setup`, where anyone with the SETUP_TOKEN of a deployment can create its first account. Once an account exists, the
 * address returns 404.
 */
export const setupRoutes = new Hono<ConsoleEnv>();

setupRoutes.onError(showError);
setupRoutes.use('/setup/*', async (c, next) => {
  c.set('route', '/setup');
  await enforceRateLimit(c.env, 'console', callerNetwork(c.req.raw, c.env));
  if (!(await canBeSetUp(c.var.ctx))) return c.notFound();
  const obstacle = setUpObstacle(c.env);
  if (obstacle) return page(c, <ObstaclePage obstacle={obstacle} />);
  // All links of the service will start with this address, including sign-in links in e-mails.
  const { protocol, host, origin } = new URL(c.req.url);
  if (publicOrigin(origin) === undefined)
    return protocol === 'http:' ? c.redirect(`https://${host}/setup`, 303) : c.notFound();
  return next();
});
setupRoutes.use('/setup/*', csrf(), bodyLimit({ maxSize: FORM_BYTES_MAX }));

setupRoutes.get('/setup', (c) => {
  const { cf } = c.req.raw as Request<unknown, IncomingRequestCfProperties>;
  const near = typeof cf?.timezone === 'string' && isTimeZone(cf.timezone) ? cf.timezone : 'UTC';
  return page(
    c,
    <SetUpPage origin={new URL(c.req.url).origin} sendsMail={sendsMail(c.env)} values={{ timezone: near }} />,
  );
});

setupRoutes.post('/setup', async (c) => {
  const form = await c.req.parseBody();
  const values = Object.fromEntries(['name', 'timezone', 'email'].map((name) => [name, textOf(form, name)]));
  const { origin } = new URL(c.req.url);
  const place = { origin, visit: visitOf(c) };
  const input = { ...values, token: textOf(form, 'token') } as Parameters<typeof setUpService>[1];
  const network = callerNetwork(c.req.raw, c.env);
  try {
    const done = await attempt(c.env, 'setup-token', network, () => setUpService(c.var.ctx, input, place));
    keepSession(c, done.session);
    return c.redirect(accountPath(done.accountId), 303);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.kind === 'not_found') return c.notFound();
    if (error.kind !== 'invalid') throw error;
    return page(
      c,
      <SetUpPage origin={origin} sendsMail={sendsMail(c.env)} values={values} issues={error.issues} />,
      400,
    );
  }
});

function sendsMail({ EMAIL, MAIL_FROM }: Env): boolean {
  return Boolean(EMAIL && MAIL_FROM);
}
