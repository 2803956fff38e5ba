import type { Context } from 'hono';
import { notFound } from '../../domain/errors.ts';
import {
  findBundleOf,
  findBundlePage,
  findPage,
  type PageUse,
  type PublicBundle,
  type PublicPass,
} from '../../domain/passes/page/find-page.ts';
import { type PageName, passHandle } from '../../domain/passes/page/links.ts';
import { attempt, callerNetwork } from '../../domain/rate-limits.ts';
import { isUuid } from '../../platform/ids.ts';
import type { PageEnv } from '../page-env.ts';

/** What a page shows: one pass, or the passes of a bundle. */
export type Found = PublicPass | PublicBundle;

/** Path of a single pass, below the address of its bundle's page. */
const MEMBER = '/m/:member{[0-9a-f]{32}}';

/** Paths of pages, without the language. A name is a secret or the identifier of a pass. */
export const ADDRESSES = ['/p/:name', '/p/:account/:userProvidedId'].flatMap((one) => [one, one + MEMBER] as const);

/**
 * Returns the pass of the address; undefined if it doesn't exist. Throws not found for a bundle's secret, which refers
 * to several passes.
 */
export async function findPass(c: Context<PageEnv>, use: PageUse): Promise<PublicPass | undefined> {
  const name = nameOf(c);
  const found = await findNamed(c, name, use);
  const { member } = c.req.param();
  if (found) return member === undefined ? found : findMember(found, name, use, member);
  if ('token' in name && (await findBundlePage(c.var.ctx, name.token))) throw notFound();
  return undefined;
}

/**
 * Returns what the page at the address shows; undefined if it doesn't exist. An openly named pass shows its
 * `downloadPage`, which can be that of its bundle; a secret shows a single pass.
 */
export async function findShown(c: Context<PageEnv>, use: PageUse): Promise<Found | undefined> {
  const name = nameOf(c);
  const found = await findNamed(c, name, use);
  const { member } = c.req.param();
  if (found && member !== undefined) return findMember(found, name, use, member);
  // Only single passes can be printed.
  const isPrint = c.req.query('print') !== undefined;
  if (found) return (isPrint ? undefined : await findBundleOf(found, name, use)) ?? found;
  return 'token' in name ? findBundlePage(c.var.ctx, name.token) : undefined;
}

async function findNamed(c: Context<PageEnv>, name: PageName, use: PageUse): Promise<PublicPass | undefined> {
  // Only names with a userProvidedId are guessable. Others don't count as guesses, because many people follow links of
  // deleted passes.
  const work = () => findPage(c.var.ctx, name, use);
  if (!('userProvidedId' in name)) return work();
  if (!isUuid(name.accountId)) return undefined;
  return attempt(c.env, 'guess', callerNetwork(c.req.raw, c.env), work, (found) => found !== undefined);
}

async function findMember(found: PublicPass, name: PageName, use: PageUse, member: string) {
  const bundle = await findBundleOf(found, name, use);
  return bundle?.passes.find(({ pass }) => passHandle(pass) === member);
}

function nameOf(c: Context<PageEnv>): PageName {
  const { name, account = '', userProvidedId = '' } = c.req.param();
  if (name === undefined) return { accountId: account, userProvidedId };
  return isUuid(name) ? { id: name } : { token: name };
}
