import type { AccountContext } from '../context.ts';
import { changePass } from './change-pass.ts';

/** Voids a pass or makes it valid again. A pass that is already in that state stays as it is: no new version, no event. Throws not found. */
export async function voidPass(ctx: AccountContext, name: string, voided: boolean): Promise<void> {
  await changePass(ctx, name, ({ pass }) => ({ pass: { ...pass, voided } }));
}
