import { app } from './app.ts';
import type { DeliveryJob, Job } from './domain/jobs.ts';
import { runCron } from './jobs/cron.ts';
import { consumeBatch } from './jobs/queue.ts';
import type { Env } from './platform/env.ts';

export { BundleObject } from './domain/bundles/bundle-object.ts';
export { GooglePaceObject } from './domain/google-rate-limit/rate-limiter-object.ts';
export { ProcessObject } from './domain/processes/process-object.ts';
export { ProcessStates } from './domain/processes/process-states-object.ts';
export { RequestCounterObject } from './domain/quotas/request-counter-object.ts';

export default {
  fetch: app.fetch,
  queue: consumeBatch,
  scheduled: (_event, env, execution) => runCron(env, execution),
} satisfies ExportedHandler<Env, Job | DeliveryJob>;
