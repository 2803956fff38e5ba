import type { MiddlewareHandler } from 'hono';
import type { ActionName } from '../../domain/audit/actions.ts';
import { recordView } from '../../domain/audit/record-action.ts';
import type { AccountEnv } from './console-env.ts';
import { seesPersonalData } from './passes/visible-fields.ts';

interface PersonalView {
  action: ActionName;
  /** The parameter of the address that names what is seen. */
  named?: string;
}

const PASS: PersonalView = { action: 'pass.view', named: 'pass' };
const PASSES: PersonalView = { action: 'passes.view' };
const BUNDLE: PersonalView = { action: 'bundle.view' };
const IMPORT: PersonalView = { action: 'import.view', named: 'import' };
const DELIVERY: PersonalView = { action: 'webhook_delivery.view', named: 'event' };

/**
 * Pages of an account that show personal data to members who may see it, and exports of it, by their address. A test
 * looks for pages that are missing here.
 */
const PERSONAL_VIEWS: Record<string, PersonalView> = {
  '/audit-log/export.csv': { action: 'audit_log.export' },
  '/bundles': BUNDLE,
  '/bundles/add': BUNDLE,
  '/bundles/bundle': BUNDLE,
  '/messages': { action: 'messages.view' },
  '/messages/:message': { action: 'message.view', named: 'message' },
  '/messages/:message/again': { action: 'message.view', named: 'message' },
  '/passes': PASSES,
  '/passes/bulk': PASSES,
  '/passes/export': { action: 'passes.export' },
  '/passes/import/:import': IMPORT,
  '/passes/import/:import/errors.csv': IMPORT,
  '/passes/:pass': PASS,
  '/processes/:process': { action: 'process.view', named: 'process' },
  '/processes/:process/errors.csv': { action: 'process.export_errors', named: 'process' },
  '/scans': { action: 'scans.view' },
  '/scans/export.csv': { action: 'scans.export' },
  '/webhooks/:id/deliveries/:event': DELIVERY,
};

const ACCOUNT = '/console/accounts/:account';

/** What the pages of one pass have in common: forms of a pass that are refused show it again. */
function viewAt(route: string): PersonalView | undefined {
  const path = route.slice(ACCOUNT.length);
  return PERSONAL_VIEWS[path] ?? (path.startsWith('/passes/:pass/') ? PASS : undefined);
}

/**
 * Writes an entry of the audit log for each view or export of personal data, before the reply leaves: without the entry
 * there is none.
 */
export const recordPersonalViews: MiddlewareHandler<AccountEnv> = async (c, next) => {
  await next();
  const view = viewAt(c.var.route);
  const isShown = c.res.status === 200 || c.res.status === 400;
  if (!view || !isShown || !seesPersonalData(c.var.privileges)) return;
  const { action, named } = view;
  const [type] = action.split('.') as [string];
  await recordView(c.var.acting, { action, target: { type, id: named && c.req.param(named) } });
};
