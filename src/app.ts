import { Hono } from 'hono';
import { admin } from './admin/route.ts';
import type { ApiEnv } from './api/api-env.ts';
import { health } from './api/health.ts';
import { observe, useDirectory } from './api/observe.ts';
import { openApiDocument } from './api/openapi.ts';
import { repeatHandlers } from './api/repeat.ts';
import { retryAfter } from './api/retry-after.ts';
import { secureHeaders } from './api/secure-headers.ts';
import { toFailure } from './api/status.ts';
import { v1 } from './api/v1/index.ts';
import { v2 } from './api/v2/index.ts';
import { v3 } from './api/v3/index.ts';
import { devRoutes } from './dev/routes.ts';
import { consoleRoutes } from './pages/console/route.tsx';
import { docsRoutes } from './pages/docs/route.tsx';
import { downloadRoutes, tooManyReply } from './pages/download/route.tsx';
import { homeRoutes, strayReply } from './pages/home/route.tsx';
import { scannerRoutes } from './pages/scanner/route.tsx';
import { passFileRoutes } from './wallets/apple/route.ts';
import { WEB_SERVICE_PATHS, webServiceRoutes } from './wallets/apple/web-service/route.ts';
import { googleCallbackRoutes } from './wallets/google/route.ts';
import { messageRoutes } from './wallets/messages/route.ts';

/**
 * Everything that answers HTTP. The first match counts: `/api/*` of version 1 also matches the later versions, so it
 * stands behind them.
 */
export const app = new Hono<ApiEnv>();

app.onError((error, c) => {
  const { status, messages } = toFailure(error, c);
  const page = status === 429 && !c.req.path.startsWith('/api/') ? tooManyReply(c as never) : undefined;
  return page ?? c.json({ ErrorMessage: messages.join('; ') }, status);
});
app.notFound((c) => {
  const page = c.req.method === 'GET' && !c.req.path.startsWith('/api/') ? strayReply(c) : undefined;
  return page ?? c.json({ ErrorMessage: 'Object not found' }, 404);
});
app.use(observe, secureHeaders, retryAfter);
app.get('/health', ...health);
app.get('/openapi.json', (c) => {
  c.set('route', '/openapi.json');
  return c.json(openApiDocument(app));
});
app.route('/api/v3', v3);
app.route('/api/v2', v2);
app.route('/api', v1);
app.route('/', repeatHandlers(mounted(passFileRoutes)));
const webService = repeatHandlers(mounted(webServiceRoutes));
for (const path of WEB_SERVICE_PATHS) app.route(path, webService);
app.route('/', repeatHandlers(mounted(messageRoutes)));
app.route('/', repeatHandlers(mounted(googleCallbackRoutes)));
app.route('/admin', mounted(admin));

const pages = new Hono<ApiEnv>();
pages.use(useDirectory);
pages.route('/', mounted(docsRoutes(() => openApiDocument(app))));
pages.route('/', repeatHandlers(mounted(homeRoutes)));
pages.route('/', repeatHandlers(mounted(consoleRoutes)));
pages.route('/', repeatHandlers(mounted(scannerRoutes)));
pages.route('/', mounted(devRoutes));
pages.route('/', repeatHandlers(mounted(downloadRoutes)));
app.route('/', pages);

/** Surfaces declare only the variables that they use, which Hono's types do not accept as a part of all. */
function mounted<E extends { Variables: object }>(surface: Hono<E>): Hono<ApiEnv> {
  return surface as unknown as Hono<ApiEnv>;
}
