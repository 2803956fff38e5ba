import { onErrorV3 } from '../envelope.ts';
import { apiVersion } from '../version.ts';
import { apiKeyRoutes } from './api-key.ts';
import { auditLogRoutes } from './audit-log.ts';
import { bulkRoutes } from './bulk.ts';
import { eventRoutes } from './events.ts';
import { passRoutes } from './pass.ts';
import { passListRoute } from './pass-list.ts';
import { passTimelineRoute } from './pass-timeline.ts';
import { passInstanceRoutes } from './passinstance.ts';
import { personRoutes } from './person.ts';
import { processRoutes } from './process.ts';
import { projectRoutes } from './project.ts';
import { segmentRoutes } from './segment.ts';
import { signingRoutes } from './signing.ts';
import { webhookPayloadRoutes } from './webhook-payload.ts';

/** Version 3 of the API, mounted at `/api/v3`. */
export const v3 = apiVersion(onErrorV3, [
  ['/api-key', apiKeyRoutes],
  ['/audit-log', auditLogRoutes],
  ['/events', eventRoutes],
  // Before `/pass`, whose paths end in a pass's name.
  ['/pass/bulk', bulkRoutes],
  ['/pass', passListRoute],
  ['/pass', passTimelineRoute],
  ['/pass', passRoutes],
  ['/passinstance', passInstanceRoutes],
  ['/person', personRoutes],
  ['/process', processRoutes],
  ['/project', projectRoutes],
  ['/segment', segmentRoutes],
  ['/signing', signingRoutes],
  ['/webhook-payload', webhookPayloadRoutes],
]);
