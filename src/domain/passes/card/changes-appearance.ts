import { canonicalJson } from '../../../platform/canonical-json.ts';
import type { AccountContext } from '../../context.ts';
import type { DefinedPass } from '../find-pass.ts';
import { resolveCard } from './resolve-card.ts';

/** Replaces the account's signer: the real signature differs exactly when this text does. */
const ECHO_SIGNER = { keyId: '', sign: (text: string) => text };

type Shown = Pick<DefinedPass, 'pass' | 'definition' | 'version'>;

/**
 * Whether a holder's wallet shows one state of a pass differently from another. True for a pass without holders: a
 * device that registers before the change is written gets one push too many rather than none.
 */
export function changesAppearance(ctx: AccountContext, before: Shown, after: Shown): boolean {
  const { numberOfActive, googlePublishedAt } = before.pass;
  if (numberOfActive === 0 && googlePublishedAt === null) return true;
  return looksOf(ctx, before) !== looksOf(ctx, after);
}

function looksOf(ctx: AccountContext, { pass, definition, version }: Shown): string {
  const { account } = ctx;
  const card = resolveCard({ account, pass, definition, templateVersion: version, links: ctx, signer: ECHO_SIGNER });
  return canonicalJson({ ...card, passVersion: 0, passRevision: 0, templateVersion: 0, modifiedAt: 0 });
}
