import { eq, sql } from 'drizzle-orm';
import * as z from 'zod';
import { ALWAYS, findEntry, recordAction } from '../../audit/record-action.ts';
import { checked } from '../../check.ts';
import type { AccountContext } from '../../context.ts';
import { invalid, invalidField } from '../../errors.ts';
import { AnyText, PushText } from '../../fields.ts';
import { beginFanOut, insertPages } from '../../pushes/begin-fan-out.ts';
import { newId, writeOnce } from '../../write-once.ts';
import { changePass } from '../change-pass.ts';
import { HAS_TEMPLATE, passIdNamed } from '../find-pass.ts';
import { passes } from '../table.ts';
import { filledText } from './push-text.ts';

/** Push to one pass. */
export const PushInput = z.object({ pushNotificationText: PushText });
export type PushInput = z.infer<typeof PushInput>;

/** Maximum number of passes per request. */
export const PUSHED_PASSES_MAX = 500;
const LIST_MESSAGE = `must name 1 to ${PUSHED_PASSES_MAX} passes`;

/** Push to a list of passes, each by a name that a path accepts. */
export const PushesInput = z.object({
  listOfPasses: z
    .array(AnyText, { error: 'is required and must be an array' })
    .min(1, LIST_MESSAGE)
    .max(PUSHED_PASSES_MAX, LIST_MESSAGE),
  pushNotificationText: PushText,
});
export type PushesInput = z.infer<typeof PushesInput>;

/**
 * Sends a text to a pass's holders: on iPhones by a changed field, in Google Wallet as a message. Returns `same` if it
 * is the last text; one of concurrent requests sends it. No event: the text isn't a value of the pass. Two round trips.
 * Throws not found, and `invalid` for an inactive pass or an empty text.
 */
export async function sendPush(ctx: AccountContext, name: string, input: PushInput): Promise<'sent' | 'same'> {
  const { pushNotificationText } = checked(PushInput, input);
  let isSame = false;
  await changePass(ctx, name, async (found) => {
    if (found.pass.numberOfActive === 0) throw invalid('The pass is not active: no device has it');
    const pushText = await filledText(ctx, pushNotificationText, found);
    if (pushText === '') throw invalidField('pushNotificationText', 'is empty once its placeholders are filled');
    // In a retried request, the last text may be its own.
    isSame = pushText === found.pass.pushText && !ctx.repeatable?.isRepeat;
    return { pass: { ...found.pass, pushText } };
  });
  return isSame ? 'same' : 'sent';
}

/**
 * Sends a text to the holders of many passes, in the background. Unknown names and inactive passes are skipped;
 * duplicates get it once. Two round trips. Throws `invalid` with the field.
 */
export async function sendPushes(ctx: AccountContext, input: PushesInput): Promise<void> {
  const { listOfPasses, pushNotificationText } = checked(PushesInput, input);
  const found = await ctx.db
    .selectDistinct({ key: passes.key })
    .from(sql`json_each(${JSON.stringify(listOfPasses)}) as named`)
    // A cross join keeps its order: one index lookup per name.
    .crossJoin(passes)
    .where(
      sql`${eq(passes.id, passIdNamed(ctx, sql`named.value`))} and ${passes.numberOfActive} > 0 and ${HAS_TEMPLATE}`,
    )
    .orderBy(passes.key);
  if (found.length === 0) return;
  const changes = [{ field: 'passes', new: found.length }];
  const id = newId(ctx, 'fan-out');
  // The fan-out is deleted once everything is sent; its audit entry stays.
  const entryId = newId(ctx, 'fan-out-entry');
  const fanOut = () =>
    beginFanOut(ctx, {
      id,
      accountId: ctx.account.id,
      kind: 'text',
      templateId: null,
      text: pushNotificationText,
      version: null,
      isOpen: false,
    });
  const keys = found.map(({ key }) => key);
  const action = { id: entryId, action: 'passes.push', target: { type: 'passes' }, changes } as const;
  await writeOnce(
    ctx,
    () => findEntry(ctx, entryId),
    async () => {
      await insertPages(ctx, id, keys, [fanOut(), recordAction(ctx, action, ALWAYS)]);
      return id;
    },
  );
}
