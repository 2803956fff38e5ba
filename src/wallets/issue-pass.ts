import type { AccountContext } from '../domain/context.ts';
import { type CreateRead, createPass, type IssuedPass, type WriteOptions } from '../domain/passes/create-pass.ts';
import {
  patchPass,
  replacePass,
  rotateLinks,
  type UpdatedPass,
  type UpdateRead,
} from '../domain/passes/update-pass.ts';
import { publishLinks, type WalletLinks } from './links.ts';
import { sendMessages } from './messages/send-message.ts';

/*
 * Turns a caller's input into a pass with links and messages, for every surface. With `wait`, everything is done on
 * return; otherwise images, messages and Google's object follow through the queue.
 */

/** Creates a pass. Throws the errors of `createPass`. */
export async function issuePass(
  ctx: AccountContext,
  templateName: string,
  sent: Record<string, unknown>,
  options: WriteOptions & { read?: CreateRead },
): Promise<IssuedPass & { links: WalletLinks }> {
  const issued = await createPass(ctx, templateName, sent, options);
  const links = await publishLinks(ctx, issued.pass, issued.template.version, issued.googleIssuer, options);
  if (options.wait) await sendMessages(ctx, issued.messages);
  return { ...issued, links };
}

/** Options of an update, including how it treats fields that aren't sent. */
export interface ReissueOptions extends WriteOptions {
  /** `replace` clears them, `patch` keeps them. */
  mode: 'replace' | 'patch';
  /** Additional properties that can't name other fields (v1). */
  properties?: Record<string, unknown>;
  /** Rows that were read together with the caller's key. */
  read?: UpdateRead;
}

/** Changes a pass. Throws the errors of `replacePass` and `patchPass`. */
export async function reissuePass(
  ctx: AccountContext,
  name: string,
  sent: Record<string, unknown>,
  { mode, ...options }: ReissueOptions,
): Promise<UpdatedPass & { links: WalletLinks }> {
  const update = mode === 'replace' ? replacePass : patchPass;
  const changed = await update(ctx, name, sent, options);
  const links = await publishLinks(ctx, changed.pass, changed.version, changed.googleIssuer, options);
  if (options.wait) await sendMessages(ctx, changed.messages);
  return { ...changed, links };
}

/** Gives a pass new links. Throws `not_found`. */
export async function reissueLinks(ctx: AccountContext, name: string, options: WriteOptions) {
  const rotated = await rotateLinks(ctx, name);
  const links = await publishLinks(ctx, rotated.pass, rotated.version, rotated.googleIssuer, options);
  return { ...rotated, links };
}
