import { canonicalJson } from '../../platform/canonical-json.ts';
import type { AccountContext } from '../context.ts';
import type { DefinedPass } from './find-pass.ts';
import { resolveCard } from './resolve-card.ts';

/** Stands in for the account's signer: what it would sign differs exactly when this does. */
const READS_ALOUD = { keyId: '', sign: (text: string) => text };

type Shown = Pick<DefinedPass, 'pass' | 'definition' | 'version'>;

/**
 * Whether a holder's wallet shows one state of a pass differently from another. Without a holder the question is not
 * worth its answer, which is then yes: should a device register before the change is written, it is told once too often
 * rather than never.
 */
export function isSeen(ctx: AccountContext, before: Shown, after: Shown): boolean {
  const { numberOfActive, googlePublishedAt } = before.pass;
  if (numberOfActive === 0 && googlePublishedAt === null) return true;
  return looksOf(ctx, before) !== looksOf(ctx, after);
}

function looksOf(ctx: AccountContext, { pass, definition, version }: Shown): string {
  const { account } = ctx;
  const card = resolveCard({ account, pass, definition, templateVersion: version, links: ctx, signer: READS_ALOUD });
  return canonicalJson({ ...card, passVersion: 0, templateVersion: 0, modifiedAt: 0 });
}
