import { and, eq, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { recordMemberAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { invalid, invalidField, notFound } from '../errors.ts';
import { EMAIL_HINT } from '../fields.ts';
import { readEmailAddress } from '../messages/recipients.ts';
import { insertMessages, type NewMessage, newMessage } from '../messages/request-messages.ts';
import { messages } from '../messages/table.ts';
import { writeOnce } from '../write-once.ts';
import { getDefinedPass } from './find-pass.ts';
import { isOwnPass } from './own-pass.ts';
import { passes } from './table.ts';

/**
 * Requests an email of the pass with its template's ad hoc email template. The caller sends the returned message. Two
 * round trips. Throws not found, and `invalid` for an invalid address or a template without an ad hoc email template.
 */
export async function deliverPass(ctx: AccountContext, name: string, address: string): Promise<NewMessage> {
  const { pass, definition } = await getDefinedPass(ctx, name);
  const recipient = readEmailAddress(address);
  if (!recipient) throw invalidField('recipientMail', `${EMAIL_HINT}`);
  if (!definition.sendoutOptions.adHoc) throw invalid('The pass template has no ad hoc e-mail template');
  const message = newMessage(ctx, pass, { channel: 'email', kind: 'adhoc', recipient });
  const isPresent = sql`exists (select 1 from ${passes} where ${isOwnPass(ctx.account.id, pass.id)})`;
  const isTarget = and(eq(messages.id, message.id), eq(messages.accountId, ctx.account.id));
  const find = async () => (await ctx.db.select({ id: messages.id }).from(messages).where(isTarget))[0] && message;
  return writeOnce(ctx, find, async () => {
    const results = await ctx.db.batch([
      ...insertMessages(ctx, [message], () => isPresent),
      ...recordMemberAction(ctx, 'pass.deliver', pass.id, isPresent),
      ctx.db.select({ id: passes.id }).from(passes).where(isOwnPass(ctx.account.id, pass.id)),
    ] as BatchItem<'sqlite'>[] as [BatchItem<'sqlite'>]);
    if ((results.at(-1) as unknown[]).length === 0) throw notFound();
    return message;
  });
}
