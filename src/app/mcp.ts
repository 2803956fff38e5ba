import { mcpRoutes } from '../mcp/route.ts';
import { app as api } from './api.ts';
import { newApp } from './new-app.ts';

/** The surface for assistants. Each call of a tool is a request to the API, with its rules. */
export const app = newApp();

app.route(
  '/',
  mcpRoutes(async (request, c) => api.fetch(request, c.env, c.executionCtx)),
);
