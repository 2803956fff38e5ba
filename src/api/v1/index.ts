import { Hono } from 'hono';
import type { ApiEnv } from '../api-env.ts';
import { requireKey } from '../auth.ts';
import { readBody } from '../body.ts';
import { idempotency } from '../idempotency.ts';
import { checkBookmark } from '../observe.ts';
import { limitRate } from '../rate-limit.ts';
import { requireScope } from '../scope.ts';
import { toFailure } from '../status.ts';
import { unknownPath } from '../unknown-path.ts';
import { appConfigurationRoutes } from './appconfiguration.ts';
import { appScanRoutes } from './appscan.ts';
import { customerRoutes } from './customer.ts';
import { hookRoutes } from './hook.ts';
import { hookSubscriptionRoutes } from './hook-subscription.ts';
import { passRoutes } from './pass.ts';
import { passTemplateRoutes } from './pass-template.ts';
import { passTemplateNotificationRoutes } from './pass-template-notification.ts';

/** Version 1 of the API, mounted at `/api` behind the later versions. */
export const v1 = new Hono<ApiEnv>();
v1.onError((error, c) => {
  const { status, messages } = toFailure(error, c);
  return c.json({ ErrorMessage: messages.join('; ') }, status);
});
v1.use(requireKey, limitRate, requireScope, checkBookmark, readBody, idempotency);
v1.route('/pass', passRoutes);
v1.route('/pass-template', passTemplateRoutes);
v1.route('/pass-template', passTemplateNotificationRoutes);
v1.route('/customer', customerRoutes);
v1.route('/appconfiguration', appConfigurationRoutes);
v1.route('/appscan', appScanRoutes);
v1.route('/hook', hookRoutes);
v1.route('/hook', hookSubscriptionRoutes);
v1.all('*', unknownPath(v1, '/api'));
