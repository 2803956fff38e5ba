import { health } from '../api/health.ts';
import { v1 } from '../api/v1/index.ts';
import { v2 } from '../api/v2/index.ts';
import { v3 } from '../api/v3/index.ts';
import { newApp } from './new-app.ts';

/** Surface for API callers. The paths of version 1 also match those of later versions, so it is mounted last. */
export const app = newApp();

app.get('/health', ...health);
app.get('/openapi.json', async (c) => {
  c.set('route', '/openapi.json');
  return c.json(await contract());
});
app.route('/api/v3', v3);
app.route('/api/v2', v2);
app.route('/api', v1);

/** Returns the OpenAPI document of all these routes. */
export async function contract(): Promise<Record<string, unknown>> {
  const { openApiDocument } = await import('../api/openapi.ts');
  return openApiDocument(app);
}
