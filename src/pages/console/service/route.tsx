import { Hono } from 'hono';
import { notFound } from '../../../domain/errors.ts';
import { getServiceStatus, listDatabaseOutlooks } from '../../../domain/monitoring/get-service-status.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { page } from '../reply.tsx';
import { ServicePage } from './service-page.tsx';

/** The state of the service, for its operators. For everybody else the address is an unknown one. */
export const serviceRoutes = new Hono<ConsoleEnv>();

serviceRoutes.get('/', async (c) => {
  const { ctx, user } = c.var;
  if (!user.isOperator) throw notFound();
  const status = await getServiceStatus(ctx);
  const databases = await listDatabaseOutlooks(ctx, status);
  return page(c, <ServicePage user={user} status={status} databases={databases} />);
});
