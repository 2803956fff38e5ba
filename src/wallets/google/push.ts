import type { Context } from '../../domain/context.ts';
import { publishToGoogle } from './publish-card.ts';

/** Makes Google Wallet have what a pass shows now. Throws when Google shall be asked again. */
export async function pushToGoogle(ctx: Context, passId: string, _message: { text?: string } = {}): Promise<void> {
  await publishToGoogle(ctx, passId);
}
