import { canonicalJson } from '../../../platform/json.ts';
import type { AccountContext } from '../../context.ts';
import type { DefinedPass } from '../find-pass.ts';
import { resolveCard } from './resolve-card.ts';

/** Replaces the account's signer: the real signature differs if and only if this text does. */
const ECHO_SIGNER = { keyId: '', sign: (text: string) => text };

type Shown = Pick<DefinedPass, 'pass' | 'definition' | 'version'>;

/**
 * Whether a holder's wallet shows two states of a pass differently. True for a pass without holders, so that a device
 * that registers before the write gets a needless push rather than none.
 */
export function changesAppearance(ctx: AccountContext, before: Shown, after: Shown): boolean {
  const { numberOfActive, googlePublishedAt } = before.pass;
  if (numberOfActive === 0 && googlePublishedAt === null) return true;
  return serializeAppearance(ctx, before) !== serializeAppearance(ctx, after);
}

function serializeAppearance(ctx: AccountContext, { pass, definition, version }: Shown): string {
  const { account } = ctx;
  const card = resolveCard({ account, pass, definition, templateVersion: version, links: ctx, signer: ECHO_SIGNER });
  return canonicalJson({ ...card, passVersion: 0, passRevision: 0, templateVersion: 0, modifiedAt: 0 });
}
