import { Hono } from 'hono';
import type { ApiEnv } from '../api-env.ts';
import { requireKey } from '../auth.ts';
import { readBody } from '../body.ts';
import { onErrorV3 } from '../envelope.ts';
import { idempotency } from '../idempotency.ts';
import { checkBookmark } from '../observe.ts';
import { limitRate } from '../rate-limit.ts';
import { requireScope } from '../scope.ts';
import { unknownPath } from '../unknown-path.ts';
import { auditLogRoutes } from './audit-log.ts';
import { bulkRoutes } from './bulk.ts';
import { eventRoutes } from './events.ts';
import { passRoutes } from './pass.ts';
import { passListRoute } from './pass-list.ts';
import { passInstanceRoutes } from './passinstance.ts';
import { processRoutes } from './process.ts';
import { projectRoutes } from './project.ts';
import { segmentRoutes } from './segment.ts';
import { signingRoutes } from './signing.ts';
import { webhookPayloadRoutes } from './webhook-payload.ts';

/** Version 3 of the API, mounted at `/api/v3`. */
export const v3 = new Hono<ApiEnv>();
v3.onError(onErrorV3);
v3.use(requireKey, limitRate, requireScope, checkBookmark, readBody, idempotency);
v3.route('/audit-log', auditLogRoutes);
v3.route('/events', eventRoutes);
// Before `/pass`, whose paths end in a pass's name.
v3.route('/pass/bulk', bulkRoutes);
v3.route('/pass', passListRoute);
v3.route('/pass', passRoutes);
v3.route('/passinstance', passInstanceRoutes);
v3.route('/process', processRoutes);
v3.route('/project', projectRoutes);
v3.route('/segment', segmentRoutes);
v3.route('/signing', signingRoutes);
v3.route('/webhook-payload', webhookPayloadRoutes);
v3.all('*', unknownPath(v3, '/api/v3'));
