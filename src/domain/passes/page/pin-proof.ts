import { isProofOf, proofOf } from '../../../platform/proof.ts';
import type { Context } from '../../context.ts';
import type { Pass } from '../table.ts';

/** How long a right PIN opens the page. */
export const PIN_PROOF_MINUTES = 30;

type Proven = Pick<Pass, 'id' | 'downloadPin'>;

/** A new PIN ends the proofs of the one before. */
const factsOf = ({ id, downloadPin }: Proven) => ({ purpose: 'download-pin', facts: [id, downloadPin] });

/** A text that shows for half an hour that its holder knew the PIN of the pass; see `proofOf`. */
export function provePin({ env }: Context, pass: Proven, now = Date.now()): string {
  return proofOf(env, factsOf(pass), now + PIN_PROOF_MINUTES * 60_000);
}

/** Whether a text is a proof for the PIN that the pass has now. */
export function isPinProof({ env }: Context, pass: Proven, proof: string | undefined, now = Date.now()): boolean {
  return isProofOf(env, factsOf(pass), proof, now);
}
