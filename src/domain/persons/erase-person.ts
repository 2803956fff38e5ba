import { type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { sweepImages } from '../images/sweep-images.ts';
import { plainRecipient } from '../messages/recipients.ts';
import { erasePasses, eraseScansWithoutPass } from '../pass-erasure/erase-passes.ts';
import { deleteManyFacts } from '../pass-facts/append-facts.ts';
import { type AnonymousOptions, anonymizePasses, withoutHolder } from '../passes/anonymize-passes.ts';
import { namedPassesQuery, toDefinedPasses } from '../passes/bulk/bulk-find.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import type { RemoveFiles } from '../passes/deletion/delete-pass.ts';
import { deletePasses } from '../passes/deletion/delete-passes.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { valueOfPass } from '../passes/own-pass.ts';
import { type Pass, passes } from '../passes/table.ts';
import { ledgerOf } from '../processes/ledger.ts';
import type { Outcome } from '../processes/outcome-store.ts';
import type { PersonOperation } from '../processes/process-state.ts';
import type { PersonRange } from '../processes/process-work.ts';
import { isOfPerson, matchedValue, type PersonMatch } from '../search/persons.ts';
import { suspended, suspensionQuery } from '../suspended.ts';
import { countEach, NOTHING, type PassCounts } from './about-passes.ts';
import { eraseBundles, findOwnBundles } from './erase-bundles.ts';
import { eraseMessages, findCopies, OwnValues, valuesOf } from './erase-copies.ts';
import { deleteExports } from './export-files.ts';
import { findOtherMessages, recipientsOf } from './other-messages.ts';

export type Erasure = Extract<PersonOperation, { kind: 'erase' }>;

/** Attempts at passes that others change at the same time. */
const ROUNDS_MAX = 20;

/**
 * Erases messages to the person about passes of others. Deletes the exports of the account, which may hold the person's
 * data and can be created again. For a person without passes, also erases copies of the matched value. May run twice.
 */
export async function beginErasure(
  ctx: AccountContext,
  { match, dryRun }: Erasure,
  { isKnown }: { isKnown: boolean },
): Promise<Outcome> {
  const sent = await findOtherMessages(ctx, recipientsOf(match), match);
  if (!dryRun) await eraseMessages(ctx, sent);
  const exports = dryRun ? 0 : await deleteExports(ctx);
  const always = { ...NOTHING, messages: sent.length, exports };
  if (isKnown) return { counts: always };
  const own = new OwnValues(ctx, match);
  const texts = [matchedValue(match)];
  const names = match.userProvidedId === undefined ? [] : [match.userProvidedId];
  const copies = await findCopies(ctx, { texts, names, own });
  if (!dryRun) await copies.erase();
  const counts = Object.fromEntries(Object.entries(copies.found).map(([name, ids]) => [name, ids.length]));
  return { counts: { ...always, ...counts } };
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
  const sent = await findOtherMessages(ctx, await otherRecipients(concerned, match, own), match);
  const counted = items.flatMap(({ seq, key }): [number, PassCounts][] =>
    each.has(key) ? [[seq, each.get(key)!]] : [],
  );
  // Before anything is deleted: a run that takes over from a dead one finds fewer.
  const messages = sent.map(({ id }) => id);
  await note({ items: counted, more: { ...copies.found, messages } });
  if (dryRun) return { failed: [] };
  const { isWorking: shouldKeepNames } = await copies.erase();
  await eraseScansOfCodes(ctx, concerned);
  await eraseMessages(ctx, sent);
  const bundles = await findOwnBundles(concerned, texts, own);
  // Before the passes leave, because only they name the bundles.
  await eraseBundles(ctx, bundles, ids);
  await removeFiles(ctx, ids);
  await deleteManyFacts(ctx, ctx.account.id, ids);
  const seqOf = new Map(items.map(({ key, seq }) => [key, seq]));
  const ledger = ledgerOf(ctx, processId, range);
  if (mode === 'delete') {
    const seqs = valueOfPass([...seqOf]);
    const note = (isSelected: SQL) => ledger.note(sql`select ${seqs} as seq from ${passes} where ${isSelected}`);
    const shown = (pass: Pass) => withoutHolder(pass, bundles);
    await deletePasses(ctx, concerned, shown, { isForced: true, shouldKeepNames, note });
  } else {
    await anonymizeAll(ctx, { ids, seqOf, ledger, shouldKeepNames, bundles });
    await removeFiles(ctx, ids);
  }
  // Ranges run at the same time, and each may have met passes of the other in the bundle.
  await eraseBundles(ctx, bundles, ids);
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

/** Returns the passes' recipients that belong to the person alone, without the one that identifies the person. */
function otherRecipients(concerned: DefinedPass[], match: PersonMatch, own: OwnValues): Promise<string[]> {
  const known = new Set(recipientsOf(match).map(plainRecipient));
  const recipients = concerned.flatMap(({ pass }) => [pass.emailRecipient, pass.phoneRecipient]);
  const others = recipients.filter((one) => one !== null).filter((one) => !known.has(plainRecipient(one)));
  return own.ownOf([...new Set(others)]);
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
  { ids, seqOf, ...how }: { ids: string[]; seqOf: Map<string, number> } & AnonymousOptions,
): Promise<void> {
  let open = ids;
  for (let round = 0; round < ROUNDS_MAX && open.length > 0; round++) {
    const found = await findItems(ctx, open);
    const items = [...found.values()].map((one) => ({ seq: seqOf.get(one.pass.id)!, found: one }));
    const overtaken = new Set(await anonymizePasses(ctx, items, how));
    open = open.filter((id) => overtaken.has(seqOf.get(id)!));
  }
  if (open.length > 0) throw new Error(`${open.length} passes are being changed by many requests at once`);
}
