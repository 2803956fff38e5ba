import { Hono } from 'hono';
import type { ApiEnv } from '../api-env.ts';
import { requireKey } from '../auth.ts';
import { readBody } from '../body.ts';
import { onErrorV2 } from '../envelope.ts';
import { idempotency } from '../idempotency.ts';
import { checkBookmark } from '../observe.ts';
import { limitRate } from '../rate-limit.ts';
import { requireScope } from '../scope.ts';
import { unknownPath } from '../unknown-path.ts';
import { passRoutes } from './pass.ts';
import { passBundleRoutes } from './pass-bundle.ts';
import { passTemplateRoutes } from './pass-template.ts';

/** Version 2 of the API, mounted at `/api/v2`. */
export const v2 = new Hono<ApiEnv>();
v2.onError(onErrorV2);
v2.use(requireKey, limitRate, requireScope, checkBookmark, readBody, idempotency);
v2.route('/pass', passRoutes);
v2.route('/pass-bundle', passBundleRoutes);
v2.route('/pass-template', passTemplateRoutes);
v2.all('*', unknownPath(v2, '/api/v2'));
