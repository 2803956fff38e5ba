import { slicesOf } from '../../platform/chunks.ts';
import type { AccountContext } from '../context.ts';
import { findMessagesTo } from '../messages/find-messages-to.ts';
import type { Message } from '../messages/table.ts';
import { namedPassesQuery, toDefinedPasses } from '../passes/bulk/bulk-find.ts';
import { isOfPerson, type PersonMatch } from '../search/persons.ts';

/** Passes per round trip. */
const PAGE_PASSES = 50;

/** Returns the recipient that identifies the person, if one does. */
export const recipientsOf = ({ emailRecipient, phoneRecipient }: PersonMatch): string[] =>
  [emailRecipient, phoneRecipient].filter((one) => one !== undefined);

/** Returns messages to the recipients about passes of others: a pass can be sent to anybody, or change hands. */
export async function findOtherMessages(
  ctx: AccountContext,
  recipients: string[],
  match: PersonMatch,
): Promise<Message[]> {
  const sent = await findMessagesTo(ctx, recipients);
  const own = new Set<string>();
  for (const ids of slicesOf([...new Set(sent.map(({ passId }) => passId))], PAGE_PASSES)) {
    const found = await toDefinedPasses(ctx, await namedPassesQuery(ctx, ids));
    for (const { pass } of found.values()) if (isOfPerson(pass, match)) own.add(pass.id);
  }
  return sent.filter(({ passId }) => !own.has(passId));
}
