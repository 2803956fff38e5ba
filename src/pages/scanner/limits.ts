import type { Context, MiddlewareHandler } from 'hono';
import type { OpenedLink } from '../../domain/app-configurations/open-link.ts';
import type { OpenedScan } from '../../domain/app-scans/create-scan.ts';
import { PIN_LOCK_MINUTES } from '../../domain/passes/page/pin.ts';
import { attempt, callerNetwork, enforceRateLimit, openBySecret } from '../../domain/rate-limits.ts';
import { sha256 } from '../../platform/crypto.ts';
import type { PageEnv } from '../page-env.ts';

type PageContext = Context<PageEnv>;

export const networkOf = (c: PageContext): string | undefined => callerNetwork(c.req.raw, c.env);

/** Limits requests below a link by client address. */
export const limitScanner: MiddlewareHandler<PageEnv> = async (c, next) => {
  await enforceRateLimit(c.env, 'scanner', networkOf(c));
  await next();
};

/** Opens the link of the path with `open`; undefined if it doesn't exist, which counts against the client address. */
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
 * Limits attempts to guess codes. Unknown codes count per client address and link, so one gate doesn't block another.
 */
export async function limitCodes(c: PageContext, { link, subject }: OpenedScan): Promise<void> {
  const network = networkOf(c);
  // A repeated message gets its previous answer.
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

/** Returns how long the PIN of a link stays locked. The link was read before the attempt, so it may lack a new lock. */
export function lockedSeconds({ link }: OpenedLink, now = Date.now()): number {
  const begun = (link.pinLockedUntilAt ?? 0) > now ? link.pinLockedUntilAt! : now + PIN_LOCK_MINUTES * 60_000;
  return Math.ceil((begun - now) / 1_000);
}
