import { inArray, sql } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import type { AccountContext } from '../context.ts';
import { aboutMessages, eraseEvents } from '../events/erase-events.ts';
import { eraseReplies, findRepliesWith } from '../idempotency/erase-replies.ts';
import { replyFile } from '../idempotency/idempotent-requests.ts';
import { eraseImports } from '../imports/stored-import.ts';
import { deleteMessagesOf } from '../messages/delete-messages.ts';
import { type Message, messages } from '../messages/table.ts';
import { fold } from '../passes/search-index/search-terms.ts';
import type { Pass } from '../passes/table.ts';
import { canHoldItems, eraseItems } from '../processes/erase-items.ts';
import { eraseSegmentValues } from '../search/erase-segments.ts';
import { isInOtherPasses, matchedValue, type PersonMatch } from '../search/persons.ts';
import { eraseAnswersTo } from '../webhooks/erase-deliveries.ts';

/** A shorter value occurs in so many texts that it identifies nobody, unless it is the whole text. */
const IDENTIFYING_CHARS_MIN = 4;

/** Returns the texts of a pass about its holder, each once. */
export function valuesOf(pass: Pass): string[] {
  const { userProvidedId, emailRecipient, phoneRecipient, barcodeValue, generatedId } = pass;
  const texts = [
    userProvidedId,
    emailRecipient,
    phoneRecipient,
    barcodeValue === generatedId ? null : barcodeValue,
    pass.barcodeAlternativeText,
    pass.groupingIdentifier,
    ...Object.values(pass.properties),
    ...Object.values(pass.flight ?? {}),
  ];
  const trimmed = texts.filter((text) => typeof text === 'string').map((text) => text.trim());
  return [...new Set(trimmed)].filter((text) => text !== '');
}

/** Returns the texts that are long enough to look for inside of others. */
export function selectIdentifying(texts: string[]): string[] {
  return texts.filter((text) => text.length >= IDENTIFYING_CHARS_MIN);
}

/**
 * Texts that belong to one person alone: the value that the person is matched by, and those that no pass of anybody
 * else has. Searches for each text once.
 */
export class OwnValues {
  #ctx: AccountContext;
  #match: PersonMatch;
  #known = new Map<string, Promise<boolean>>();

  constructor(ctx: AccountContext, match: PersonMatch) {
    this.#ctx = ctx;
    this.#match = match;
    this.#known.set(fold(matchedValue(match)), Promise.resolve(true));
  }

  /** Whether a text belongs to the person alone. */
  isOwn(text: string): Promise<boolean> {
    const folded = fold(text);
    const known = this.#known.get(folded) ?? isInOtherPasses(this.#ctx, text, this.#match).then((others) => !others);
    this.#known.set(folded, known);
    return known;
  }

  /** Returns the texts that belong to the person alone. */
  async ownOf(texts: string[]): Promise<string[]> {
    const own: string[] = [];
    for (const text of texts) if (await this.isOwn(text)) own.push(text);
    return own;
  }
}

/** Messages per batch; D1 binds a hundred parameters. */
const PAGE_MESSAGES = 50;

/** Data of a person in rows that name no pass. */
interface Copies {
  /** Identifiers, which hold no personal data. */
  found: Record<'segments' | 'imports' | 'replies' | 'processItems', string[]>;
  /** Erases the copies. Returns whether a running process may add more. */
  erase(): Promise<{ isWorking: boolean }>;
}

/**
 * Finds texts of a person outside of passes: in stored queries, files to import, kept replies, and failed items of
 * processes. `names`: other names of the passes. All are found before any is erased, because a run that takes over from
 * a dead one finds fewer.
 */
export async function findCopies(
  ctx: AccountContext,
  { texts, names, own }: { texts: string[]; names: string[]; own: OwnValues },
): Promise<Copies> {
  const isOwn = (text: string) => own.isOwn(text);
  const queries = { texts, isOwn };
  const segments = await eraseSegmentValues(ctx, queries, { dryRun: true });
  const imports = await eraseImports(ctx, selectIdentifying(texts), { isOwn, dryRun: true });
  const replies = await findRepliesWith(ctx, selectIdentifying(texts), isOwn);
  const beganBefore = Date.now();
  const values = { texts: selectIdentifying(texts).map(fold), ownOf: (held: string[]) => own.ownOf(held) };
  const items = { names, values, beganBefore };
  const canHold = await canHoldItems(ctx, ctx.account.id, beganBefore);
  const held = canHold ? await eraseItems(ctx, ctx.account.id, items, { dryRun: true }) : undefined;
  const replyNames = await Promise.all(replies.map(({ accountId, key }) => replyFile(accountId, key)));
  return {
    found: { segments, imports, replies: replyNames, processItems: held?.erased ?? [] },
    async erase() {
      if (segments.length > 0) await eraseSegmentValues(ctx, queries, { dryRun: false });
      if (imports.length > 0) await eraseImports(ctx, selectIdentifying(texts), { isOwn, dryRun: false });
      await eraseReplies(ctx, replies);
      const isWorking = canHold && (await eraseItems(ctx, ctx.account.id, items)).isOpen;
      return { isWorking };
    },
  };
}

/** Deletes messages, and erases the values in their events. The passes stay. May run twice. */
export async function eraseMessages(ctx: AccountContext, found: Message[]): Promise<void> {
  for (const some of slicesOf(found, PAGE_MESSAGES)) {
    const about = aboutMessages(some);
    await eraseAnswersTo(ctx, about, { areAll: true });
    await eraseEvents(ctx, about, { stays: () => sql`false` });
    const passIds = sql`(select value from json_each(${JSON.stringify(some.map(({ passId }) => passId))}))`;
    const isFound = inArray(
      messages.id,
      some.map(({ id }) => id),
    );
    await deleteMessagesOf(ctx, passIds, isFound);
  }
}
