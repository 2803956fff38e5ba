import { toFailure } from '../status.ts';
import { apiVersion } from '../version.ts';
import { appConfigurationRoutes } from './appconfiguration.ts';
import { appScanRoutes } from './appscan.ts';
import { customerRoutes } from './customer.ts';
import { hookRoutes } from './hook.ts';
import { hookSubscriptionRoutes } from './hook-subscription.ts';
import { passRoutes } from './pass.ts';
import { passTemplateRoutes } from './pass-template.ts';
import { passTemplateNotificationRoutes } from './pass-template-notification.ts';

/** Version 1 of the API, mounted at `/api` after the later versions. */
export const v1 = apiVersion(
  (error, c) => {
    const { status, messages } = toFailure(error, c);
    return c.json({ ErrorMessage: messages.join('; ') }, status);
  },
  [
    ['/pass', passRoutes],
    ['/pass-template', passTemplateRoutes],
    ['/pass-template', passTemplateNotificationRoutes],
    ['/customer', customerRoutes],
    ['/appconfiguration', appConfigurationRoutes],
    ['/appscan', appScanRoutes],
    ['/hook', hookRoutes],
    ['/hook', hookSubscriptionRoutes],
  ],
);
