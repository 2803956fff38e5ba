import { mcpRoutes } from '../mcp/route.ts';
import { app as api } from './api.ts';
import { newApp } from './new-app.ts';

/** Surface for assistants. Each tool call is a request to the API and follows its rules. */
export const app = newApp();

app.route(
  '/',
  mcpRoutes(async (request, c) => api.fetch(request, c.env, c.executionCtx)),
);
