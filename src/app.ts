import { Hono } from 'hono';
import { admin } from './admin/route.ts';
import type { ApiEnv } from './api/api-env.ts';
import { health } from './api/health.ts';
import { observe } from './api/observe.ts';
import { openApiDocument } from './api/openapi.ts';
import { toFailure } from './api/status.ts';
import { v1 } from './api/v1/index.ts';
import { v2 } from './api/v2/index.ts';
import { v3 } from './api/v3/index.ts';
import { passFileRoutes } from './wallets/apple/route.ts';

/** Everything that answers HTTP. The first match counts: `/api/*` of version 1 also matches the later versions, so it stands behind them. */
export const app = new Hono<ApiEnv>();

app.onError((error, c) => {
  const { status, messages } = toFailure(error, c);
  return c.json({ ErrorMessage: messages.join('; ') }, status);
});
app.use(observe);
app.get('/health', health);
app.get('/openapi.json', (c) => c.json(openApiDocument(app)));
app.route('/api/v3', v3);
app.route('/api/v2', v2);
app.route('/', passFileRoutes as unknown as Hono<ApiEnv>);
app.route('/api', v1);
app.route('/admin', admin as unknown as Hono<ApiEnv>);
