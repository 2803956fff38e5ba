import type { Context, MiddlewareHandler } from 'hono';
import type { OpenedLink } from '../../domain/app-configurations/open-link.ts';
import type { OpenedScan } from '../../domain/app-scans/create-scan.ts';
import { PIN_LOCK_MINUTES } from '../../domain/passes/page/pin.ts';
import { attempt, callerNetwork, enforceRateLimit, openBySecret } from '../../domain/rate-limits.ts';
import { sha256 } from '../../platform/crypto.ts';
import type { PageEnv } from '../page-env.ts';

type PageContext = Context<PageEnv>;

export function networkOf(c: PageContext): string | undefined {
  return callerNetwork(c.req.raw, c.env);
}

/** Counts each request below a link for the address that it comes from. */
export const limitScanner: MiddlewareHandler<PageEnv> = async (c, next) => {
  await enforceRateLimit(c.env, 'scanner', networkOf(c));
  await next();
};

/** Opens the link of the path with `open`; undefined when there is none, which counts for the address that asks. */
export async function openLimited<T extends OpenedLink>(
  c: PageContext,
  open: (token: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  const token = c.req.param('token')!;
  const opened = await openBySecret(c.env, 'scanner-token', networkOf(c), {
    digest: () => sha256(token),
    open: () => open(token),
    digestOf: ({ link }) => link.tokenDigest,
  });
  if (opened) await enforceRateLimit(c.env, 'scanner-link', networkOf(c) && opened.link.id);
  return opened;
}

/**
 * Slows whoever tries codes: unknown ones count for the address at this link, so that no gate stands still for another.
 */
export async function limitCodes(c: PageContext, { link, subject }: OpenedScan): Promise<void> {
  const network = networkOf(c);
  // A repeated message gets the answer that it had.
  if (subject.earlier) return;
  const isKnown = subject.found !== undefined;
  await attempt(
    c.env,
    'code',
    network && `${link.id} ${network}`,
    async () => isKnown,
    (known) => known,
  );
}

/** How long the PIN of a link stays locked; a lock that has just begun does not stand in what was read before it. */
export function lockedSeconds({ link }: OpenedLink, now = Date.now()): number {
  const begun = (link.pinLockedUntilAt ?? 0) > now ? link.pinLockedUntilAt! : now + PIN_LOCK_MINUTES * 60_000;
  return Math.ceil((begun - now) / 1_000);
}
