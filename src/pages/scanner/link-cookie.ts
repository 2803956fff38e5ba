import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { isLinkProof, LINK_PROOF_HOURS, proveLink } from '../../domain/app-configurations/link-secrets.ts';
import type { OpenedLink } from '../../domain/app-configurations/open-link.ts';
import type { PageEnv } from '../page-env.ts';

const nameFor = ({ link }: OpenedLink) => `gate-${link.id}`;

/** Stores a proof of the link's correct PIN in the browser. */
export function keepLinkProof(c: Context<PageEnv>, opened: OpenedLink): void {
  const secure = isSecure(c);
  setCookie(c, nameFor(opened), proveLink(opened.ctx, opened.link), {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    maxAge: LINK_PROOF_HOURS * 60 * 60,
    ...(secure ? { secure, prefix: 'host' as const } : {}),
  });
}

/** Returns whether the app can be used: the link is still valid, or the browser has a valid proof. */
export function mayUse(c: Context<PageEnv>, opened: OpenedLink): boolean {
  if (!opened.isExpired) return true;
  const name = nameFor(opened);
  const proof = isSecure(c) ? getCookie(c, name, 'host') : getCookie(c, name);
  return isLinkProof(opened.ctx, opened.link, proof);
}

/** Checks the public URL, because a proxy in front of the Worker may terminate TLS. */
function isSecure(c: Context<PageEnv>): boolean {
  return c.var.ctx.baseUrl.startsWith('https:');
}
