import { answer } from './app.ts';
import type { DeliveryJob, Job } from './domain/jobs.ts';
import type { Env } from './platform/env.ts';

export { BundleObject } from './domain/bundles/bundle-object.ts';
export { GooglePaceObject } from './domain/google-rate-limit/rate-limiter-object.ts';
export { ProcessObject } from './domain/processes/process-object.ts';
export { ProcessStates } from './domain/processes/process-states-object.ts';
export { RequestCounterObject } from './domain/quotas/request-counter-object.ts';

export default {
  fetch: answer,
  // Loaded on the first message, as surfaces are on the first request.
  queue: async (batch, env, execution) => (await import('./jobs/queue.ts')).consumeBatch(batch, env, execution),
  scheduled: async (_event, env, execution) => (await import('./jobs/cron.ts')).runCron(env, execution),
} satisfies ExportedHandler<Env, Job | DeliveryJob>;
