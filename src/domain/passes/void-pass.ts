import type { AccountContext } from '../context.ts';
import { changePass } from './change-pass.ts';
import type { Pass } from './table.ts';

/**
 * Voids or restores a pass. A pass that is already in that state stays as it is: no new version, no event. Throws not
 * found.
 */
export async function voidPass(ctx: AccountContext, name: string, voided: boolean): Promise<void> {
  await changePass(ctx, name, ({ pass }) => ({ pass: withVoided(pass, voided) }));
}

/** Returns the pass voided or restored. A scan that voids also redeems the pass; restoring undoes that too. */
export function withVoided(pass: Pass, voided: boolean): Pass {
  return { ...pass, voided, redeemed: voided && pass.redeemed };
}
