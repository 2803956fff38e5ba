import { type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { eraseReplies, findRepliesWith } from '../idempotency/erase-replies.ts';
import { replyFile } from '../idempotency/idempotent-requests.ts';
import { sweepImages } from '../images/sweep-images.ts';
import { eraseImports } from '../imports/stored-import.ts';
import { erasePasses, eraseScansWithoutPass } from '../pass-erasure/erase-passes.ts';
import { deleteManyFacts } from '../pass-facts/append-facts.ts';
import { anonymizePasses, withoutHolder } from '../passes/anonymize-passes.ts';
import { namedPassesQuery, toDefinedPasses } from '../passes/bulk/bulk-find.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import type { RemoveFiles } from '../passes/deletion/delete-pass.ts';
import { deletePasses } from '../passes/deletion/delete-passes.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { valueOfPass } from '../passes/own-pass.ts';
import { fold } from '../passes/search-index/search-terms.ts';
import { type Pass, passes } from '../passes/table.ts';
import { canHoldItems, eraseItems } from '../processes/erase-items.ts';
import { ledgerOf } from '../processes/ledger.ts';
import type { Outcome } from '../processes/outcome-store.ts';
import type { PersonOperation } from '../processes/process-state.ts';
import type { PersonRange } from '../processes/process-work.ts';
import { eraseSegmentValues } from '../search/erase-segments.ts';
import { isInOtherPasses, isOfPerson, matchedValue, type PersonMatch } from '../search/persons.ts';
import { suspended, suspensionQuery } from '../suspended.ts';
import { countEach, NOTHING, type PassCounts } from './about-passes.ts';
import { deleteExports } from './export-files.ts';

/** A shorter value occurs in so many texts that it identifies nobody, unless it is the whole text. */
const IDENTIFYING_CHARS_MIN = 4;

/** Returns the texts of a pass about its holder, each once. */
function valuesOf(pass: Pass): string[] {
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
function selectIdentifying(texts: string[]): string[] {
  return texts.filter((text) => text.length >= IDENTIFYING_CHARS_MIN);
}

/**
 * Texts that belong to one person alone: the value that the person is matched by, and those that no pass of anybody
 * else has. Searches for each text once.
 */
class OwnValues {
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
async function findCopies(
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

type Erasure = Extract<PersonOperation, { kind: 'erase' }>;

/** Passes per range: their batch is about as large as that of a range of a bulk update. */
export const ERASED_AT_ONCE = 50;
/** Attempts at passes that others change at the same time. */
const ROUNDS_MAX = 20;

/**
 * Deletes the exports of the account, which may hold the person's data and can be created again. For a person without
 * passes, also erases copies of the matched value. May run twice.
 */
export async function beginErasure(
  ctx: AccountContext,
  { match, dryRun }: Erasure,
  { isKnown }: { isKnown: boolean },
): Promise<Outcome> {
  const exports = dryRun ? 0 : await deleteExports(ctx);
  if (isKnown) return { counts: { ...NOTHING, exports } };
  const own = new OwnValues(ctx, match);
  const texts = [matchedValue(match)];
  const names = match.userProvidedId === undefined ? [] : [match.userProvidedId];
  const copies = await findCopies(ctx, { texts, names, own });
  if (!dryRun) await copies.erase();
  const counts = Object.fromEntries(Object.entries(copies.found).map(([name, ids]) => [name, ids.length]));
  return { counts: { ...NOTHING, ...counts, exports } };
}

/**
 * Erases passes of a person with all data about them. Copies elsewhere go first, because only the passes say what to
 * look for; so a run after an interrupted one finds what is left. Throws if it must be tried again.
 */
export async function eraseRange(
  ctx: AccountContext,
  operation: Erasure,
  { processId, range, items, note }: PersonRange,
  removeFiles: RemoveFiles,
): Promise<{ failed: FailedItem[] }> {
  const [held] = await ctx.db.batch([suspensionQuery(ctx)]);
  if (held.length > 0) throw suspended();
  const { match, mode, dryRun } = operation;
  const found = await findItems(
    ctx,
    items.map(({ key }) => key),
  );
  const concerned = [...found.values()].filter((one) => isOfPerson(one.pass, match));
  const ids = concerned.map(({ pass }) => pass.id);
  const each = await countEach(ctx, concerned);
  const own = new OwnValues(ctx, match);
  const texts = [...new Set([matchedValue(match), ...concerned.flatMap(({ pass }) => valuesOf(pass))])];
  const names = concerned.flatMap(({ pass }) => [pass.id, pass.generatedId]);
  const copies = await findCopies(ctx, { texts, names, own });
  const counted = items.flatMap(({ seq, key }): [number, PassCounts][] =>
    each.has(key) ? [[seq, each.get(key)!]] : [],
  );
  // Before anything is deleted: a run that takes over from a dead one finds fewer.
  await note({ items: counted, more: copies.found });
  if (dryRun) return { failed: [] };
  const { isWorking: shouldKeepNames } = await copies.erase();
  await eraseScansOfCodes(ctx, concerned);
  await removeFiles(ctx, ids);
  await deleteManyFacts(ctx, ctx.account.id, ids);
  const seqOf = new Map(items.map(({ key, seq }) => [key, seq]));
  const ledger = ledgerOf(ctx, processId, range);
  if (mode === 'delete') {
    const seqs = valueOfPass([...seqOf]);
    const note = (isSelected: SQL) => ledger.note(sql`select ${seqs} as seq from ${passes} where ${isSelected}`);
    await deletePasses(ctx, concerned, withoutHolder, { isForced: true, shouldKeepNames, note });
  } else {
    await anonymizeAll(ctx, { ids, seqOf, ledger, shouldKeepNames });
    await removeFiles(ctx, ids);
  }
  const left = await findItems(ctx, ids);
  if (mode === 'delete' && left.size > 0) throw new Error(`${left.size} passes have moved while they were erased`);
  // For all items: an earlier run may have deleted passes whose copies still exist.
  await erasePasses(
    ctx,
    items.map(({ key }) => key),
  );
  // Exports that were created meanwhile, from passes that still existed.
  await deleteExports(ctx);
  await sweepImages(ctx);
  return { failed: [] };
}

/** Erases scans of the passes' codes that don't name the passes, while the codes are known. */
async function eraseScansOfCodes(ctx: AccountContext, concerned: DefinedPass[]): Promise<void> {
  const passIds = concerned.map(({ pass }) => pass.id);
  const names = concerned.flatMap(({ pass }) => [pass.userProvidedId, pass.barcodeValue, pass.generatedId]);
  await eraseScansWithoutPass(ctx, ctx.account.id, { names, passIds }, { isPatient: false });
}

/** Returns the passes that still exist, by identifier. */
async function findItems(ctx: AccountContext, ids: string[]): Promise<Map<string, DefinedPass>> {
  const defined = await toDefinedPasses(ctx, await namedPassesQuery(ctx, ids));
  const found = [...defined.values()].filter(({ pass }) => ids.includes(pass.id));
  return new Map(found.map((one) => [one.pass.id, one]));
}

async function anonymizeAll(
  ctx: AccountContext,
  {
    ids,
    seqOf,
    ledger,
    shouldKeepNames,
  }: { ids: string[]; seqOf: Map<string, number>; ledger: ReturnType<typeof ledgerOf>; shouldKeepNames: boolean },
): Promise<void> {
  let open = ids;
  for (let round = 0; round < ROUNDS_MAX && open.length > 0; round++) {
    const found = await findItems(ctx, open);
    const items = [...found.values()].map((one) => ({ seq: seqOf.get(one.pass.id)!, found: one }));
    const overtaken = new Set(await anonymizePasses(ctx, items, ledger, { shouldKeepNames }));
    open = open.filter((id) => overtaken.has(seqOf.get(id)!));
  }
  if (open.length > 0) throw new Error(`${open.length} passes are being changed by many requests at once`);
}
