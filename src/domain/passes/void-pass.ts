import type { AccountContext } from '../context.ts';
import { changePass } from './change-pass.ts';
import type { Pass } from './table.ts';

/**
 * Voids a pass or makes it valid again. A pass that is already in that state stays as it is: no new version, no event.
 * Throws not found.
 */
export async function voidPass(ctx: AccountContext, name: string, voided: boolean): Promise<void> {
  await changePass(ctx, name, ({ pass }) => ({ pass: withVoided(pass, voided) }));
}

/**
 * The pass voided or made valid. A scan that voids redeems the pass, and a pass that is made valid again is as if it
 * was never used up.
 */
export function withVoided(pass: Pass, voided: boolean): Pass {
  return { ...pass, voided, redeemed: voided && pass.redeemed };
}
