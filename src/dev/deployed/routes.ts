import { Hono } from 'hono';
import type { PageEnv } from '../../pages/page-env.ts';

export const devRoutes = new Hono<PageEnv>();
