import { Hono } from 'hono';
import type { Context } from '../../domain/context.ts';
import { exportArchive } from '../../domain/persons/export-archive.ts';
import { EXPORT_PATH, openExport } from '../../domain/persons/export-link.ts';

/** The archive of a person's data. Anyone with the link can open it, so the reply must not be stored. */
export const personExportRoutes = new Hono<{ Variables: { baseContext: Context; route: string } }>().get(
  `${EXPORT_PATH}/:accountId/:processId/:file{[\\w.-]+\\.zip}`,
  async (c) => {
    c.set('route', `${EXPORT_PATH}/:accountId/:processId/:file`);
    const ctx = c.var.baseContext;
    const proof = c.req.param('file').slice(0, -'.zip'.length);
    const { accountId, processId } = c.req.param();
    const { place, files } = await openExport(ctx, { accountId, processId }, proof);
    return c.body(exportArchive(ctx, place, files), 200, {
      'Content-Type': 'application/zip',
      'Content-Disposition': `attachment; filename="person-${processId}.zip"`,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    });
  },
);
