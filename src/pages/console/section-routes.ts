import type { Hono } from 'hono';
import type { AccountEnv, ConsoleEnv } from './console-env.ts';

/** Routes of a section, and the prefix of its paths. */
export interface SectionRoutes {
  base: string;
  routes: Hono<AccountEnv> | Hono<ConsoleEnv>;
}

export const ACCOUNT = '/console/accounts/:account';

/** Sections by path prefix. Each loads on its first request: most isolates need only a few. */
export const SECTION_ROUTES: Record<string, () => Promise<SectionRoutes['routes']>> = {
  '/console/you': async () => (await import('./you/route.tsx')).youRoutes,
  '/console/service': async () => (await import('./service/route.tsx')).serviceRoutes,
  [ACCOUNT]: async () => (await import('./overview/route.tsx')).overviewRoutes,
  [`${ACCOUNT}/templates`]: async () => (await import('./templates/route.tsx')).templateRoutes,
  [`${ACCOUNT}/passes`]: async () => (await import('./passes/route.tsx')).passRoutes,
  [`${ACCOUNT}/bundles`]: async () => (await import('./bundles/route.tsx')).bundleRoutes,
  [`${ACCOUNT}/persons`]: async () => (await import('./persons/route.tsx')).personRoutes,
  [`${ACCOUNT}/processes`]: async () => (await import('./processes/route.tsx')).processRoutes,
  [`${ACCOUNT}/app-configurations`]: async () =>
    (await import('./app-configurations/route.tsx')).appConfigurationRoutes,
  [`${ACCOUNT}/scans`]: async () => (await import('./scans/route.tsx')).scanRoutes,
  [`${ACCOUNT}/webhooks`]: async () => (await import('./webhooks/route.tsx')).webhookRoutes,
  [`${ACCOUNT}/messages`]: async () => (await import('./messages/route.tsx')).messageRoutes,
  [`${ACCOUNT}/statistics`]: async () => (await import('./statistics/route.tsx')).statisticsRoutes,
  [`${ACCOUNT}/failed-jobs`]: async () => (await import('./failed-jobs/route.tsx')).failedJobRoutes,
  [`${ACCOUNT}/api-keys`]: async () => (await import('./api-keys/route.tsx')).apiKeyRoutes,
  [`${ACCOUNT}/members`]: async () => (await import('./members/route.tsx')).memberRoutes,
  [`${ACCOUNT}/certificates`]: async () => (await import('./certificates/route.tsx')).certificateRoutes,
  [`${ACCOUNT}/settings`]: async () => (await import('./settings/route.tsx')).settingsRoutes,
  [`${ACCOUNT}/audit-log`]: async () => (await import('./audit-log/route.tsx')).auditLogRoutes,
};

/** Returns the path prefix of a section; undefined for sign-in, the list of accounts, and unknown paths. */
export function sectionAt(path: string): string | undefined {
  const [, , first, account, section] = path.split('/');
  const ofAccount = section ? `${ACCOUNT}/${section}` : ACCOUNT;
  const base = first === 'accounts' && account ? ofAccount : `/console/${first}`;
  return Object.hasOwn(SECTION_ROUTES, base) ? base : undefined;
}

/** Loads the routes of a section. */
export async function loadSection(base: string): Promise<SectionRoutes> {
  return { base, routes: await SECTION_ROUTES[base]!() };
}
