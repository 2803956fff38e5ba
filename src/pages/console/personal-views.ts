import type { MiddlewareHandler } from 'hono';
import type { ActionName } from '../../domain/audit/actions.ts';
import { recordView } from '../../domain/audit/record-action.ts';
import type { AccountEnv } from './console-env.ts';
import { seesPersonalData } from './passes/visible-fields.ts';

interface PersonalView {
  action: ActionName;
  /** Name of the address parameter that identifies the viewed item. */
  named?: string;
}

const PASS: PersonalView = { action: 'pass.view', named: 'pass' };
const PASSES: PersonalView = { action: 'passes.view' };
const BUNDLE: PersonalView = { action: 'bundle.view' };
const IMPORT: PersonalView = { action: 'import.view', named: 'import' };
const DELIVERY: PersonalView = { action: 'webhook_delivery.view', named: 'event' };

/** Pages of an account that show or export personal data, by route. A test looks for missing pages. */
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

/** Returns the view of a route. All pages of one pass share theirs: a rejected form shows the pass again. */
function viewAt(route: string): PersonalView | undefined {
  const path = route.slice(ACCOUNT.length);
  return PERSONAL_VIEWS[path] ?? (path.startsWith('/passes/:pass/') ? PASS : undefined);
}

/**
 * Records each view or export of personal data in the audit log before the reply is sent. Without an entry, there is no
 * reply.
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
