import { Hono } from 'hono';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { getServiceStatus, listDatabaseOutlooks } from '../../../domain/monitoring/get-service-status.ts';
import { changeAddress, getServiceAddress } from '../../../domain/service-settings/change-address.ts';
import { freshSignIn } from '../confirm/require-fresh-sign-in.tsx';
import type { ConsoleEnv } from '../console-env.ts';
import { page, textOf } from '../reply.tsx';
import { AddressPage } from './address-page.tsx';
import { ServicePage } from './service-page.tsx';

/** The status of the service for its operators. For others, the page doesn't exist. */
export const serviceRoutes = new Hono<ConsoleEnv>();

serviceRoutes.use('*', async (c, next) => {
  if (!c.var.user.isOperator) throw notFound();
  await next();
});

serviceRoutes.get('/', async (c) => {
  const { ctx, user } = c.var;
  const [status, address] = await Promise.all([getServiceStatus(ctx), getServiceAddress(ctx)]);
  const databases = await listDatabaseOutlooks(ctx, status);
  return page(c, <ServicePage user={user} status={status} databases={databases} address={address} />);
});

serviceRoutes.get('/address', async (c) => {
  const address = await getServiceAddress(c.var.ctx);
  return page(c, <AddressPage user={c.var.user} address={address} value={address.stored ?? c.var.ctx.baseUrl} />);
});

// A changed URL affects all links, including sign-in links in e-mails.
serviceRoutes.post('/address', freshSignIn, async (c) => {
  const { ctx, user } = c.var;
  const baseUrl = textOf(await c.req.parseBody(), 'baseUrl');
  try {
    await changeAddress(ctx, { baseUrl }, user.id);
    return c.redirect('/console/service', 303);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'invalid') throw error;
    const address = await getServiceAddress(ctx);
    const shown = { user, address, value: baseUrl, error: error.issues[0]?.message };
    return page(c, <AddressPage {...shown} />, 400);
  }
});
