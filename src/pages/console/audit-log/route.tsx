import { Hono } from 'hono';
import { listActions } from '../../../domain/audit/list-actions.ts';
import { UUID_PATTERN } from '../../../platform/ids.ts';
import type { AccountEnv } from '../console-env.ts';
import { frameOf, page } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { AuditLogPage } from './audit-log-page.tsx';

const PAGE_ROWS = 50;

export const auditLogRoutes = new Hono<AccountEnv>();

auditLogRoutes.use('*', requirePrivilege('owner'));

auditLogRoutes.get('/', async (c) => {
  const before = c.req.query('before');
  const beforeId = before !== undefined && UUID_PATTERN.test(before) ? before : undefined;
  const found = await listActions(c.var.acting, { limit: PAGE_ROWS + 1, beforeId });
  const entries = found.slice(0, PAGE_ROWS);
  const next = found.length > PAGE_ROWS ? entries.at(-1)!.id : undefined;
  return page(c, <AuditLogPage frame={frameOf(c)} entries={entries} next={next} isFirst={beforeId === undefined} />);
});
