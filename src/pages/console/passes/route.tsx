import { Hono } from 'hono';
import type { AccountEnv } from '../console-env.ts';
import { bulkRoutes } from './bulk-route.tsx';
import { importRoutes } from './import-route.tsx';
import { passListRoutes } from './list-route.tsx';
import { passPageRoutes } from './pass-route.tsx';

/** Routes for passes. Fixed paths come before those of single passes. */
export const passRoutes = new Hono<AccountEnv>()
  .route('/', passListRoutes)
  .route('/bulk', bulkRoutes)
  .route('/import', importRoutes)
  .route('/', passPageRoutes);
