import type { AccountContext } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { type DefinedTemplate, getTemplate } from '../../templates/get-template.ts';
import { brokenAmong, leftIn, roomsQuery, rulesQuery } from '../rules.ts';
import { duplicatesRefusal, hasOtherClaims, takenValuesQuery, uniquePropertiesQuery } from '../unique-values.ts';
import { type CreateItem, planPass } from './bulk-create.ts';
import { namedPassesQuery, toDefinedPasses } from './bulk-find.ts';
import { type FailedItem, pieces } from './bulk-item.ts';
import { decideChange, rememberTemplates, type UpdateItem } from './bulk-update.ts';
import { type Intent, Rehearsal } from './rehearsal.ts';

/** Items checked together. */
const PAGE_ITEMS = 100;
/** A rule binds up to seven parameters, a statement at most a hundred. */
const RULES_MAX = 14;
/** A room binds up to nine. */
const ROOMS_MAX = 10;

/**
 * Returns the items that `updatePasses` would refuse in the current state, with what earlier items take and release.
 * Writes nothing. A name and a place that an earlier item gives up still count as taken.
 */
export async function checkUpdates(ctx: AccountContext, items: UpdateItem[]): Promise<FailedItem[]> {
  const failed: FailedItem[] = [];
  const rehearsal = new Rehearsal();
  const templateOf = rememberTemplates();
  for (const page of pieces(items, PAGE_ITEMS)) {
    const rows = await namedPassesQuery(
      ctx,
      page.map(({ name }) => name),
    );
    const found = await toDefinedPasses(ctx, rows);
    const intents: Intent[] = [];
    for (const [place, { seq, update }] of page.entries()) {
      const change = await decideChange(ctx, update, found.get(place), templateOf);
      if (change instanceof DomainError) failed.push({ seq, issues: change.issues });
      if (!change || change instanceof DomainError) continue;
      const { before, after, rules } = change;
      intents.push({ seq, ...after, rules, claims: hasOtherClaims(before, after.pass) });
    }
    failed.push(...(await refused(ctx, intents, rehearsal)));
  }
  return failed;
}

/**
 * Returns the items that `createPasses` would refuse in the current state, with what earlier items take. Writes
 * nothing. Throws not found for the template.
 */
export async function checkCreates(
  ctx: AccountContext,
  templateId: string,
  items: CreateItem[],
): Promise<FailedItem[]> {
  return checkCreatesOf(ctx, await getTemplate(ctx, templateId), items);
}

/** Like `checkCreates`, for a template that was already read. */
export async function checkCreatesOf(
  ctx: AccountContext,
  template: DefinedTemplate,
  items: CreateItem[],
): Promise<FailedItem[]> {
  const failed: FailedItem[] = [];
  const rehearsal = new Rehearsal();
  for (const page of pieces(items, PAGE_ITEMS)) {
    const intents: Intent[] = [];
    for (const item of page) {
      const planned = await planPass(ctx, template, item, new Map());
      if (planned instanceof DomainError) failed.push({ seq: item.seq, issues: planned.issues });
      else intents.push({ ...planned, definition: template.definition, claims: true });
    }
    failed.push(...(await refused(ctx, intents, rehearsal)));
  }
  return failed;
}

async function refused(ctx: AccountContext, intents: Intent[], rehearsal: Rehearsal): Promise<FailedItem[]> {
  const rules = intents.flatMap(({ seq, rules }) => rules.map((rule) => ({ ...rule, seq })));
  const askedRules = pieces(rules, RULES_MAX);
  const askedRooms = pieces(rehearsal.unknownRooms(intents), ROOMS_MAX);
  const claiming = intents.filter(({ claims }) => claims);
  const claimed = claiming.map(({ pass }) => pass);
  const [taken, unique, ...answers] = await ctx.db.batch([
    takenValuesQuery(ctx, claimed),
    uniquePropertiesQuery(ctx, rehearsal.unknownTemplates(claiming)),
    ...askedRules.map((piece) => rulesQuery(ctx, piece)),
    ...askedRooms.map((piece) => roomsQuery(ctx, piece)),
  ]);
  for (const { id, properties } of unique) rehearsal.keepUnique(id, JSON.parse(properties));
  for (const [i, piece] of askedRooms.entries()) {
    const lefts = leftIn(piece, answers[askedRules.length + i]!);
    for (const [place, room] of piece.entries()) rehearsal.keepRoom(room, lefts[place]!);
  }
  const broken = askedRules.flatMap((piece, i) => brokenAmong(piece, answers[i]!));
  const brokenOf = Map.groupBy(broken, ({ seq }) => seq);
  const takenOf = Map.groupBy(taken, ({ place }) => claiming[place]!.seq);
  return intents.flatMap((intent) => {
    const { seq, definition } = intent;
    const held = (takenOf.get(seq) ?? []).filter(({ passId }) => !rehearsal.hasAccepted(passId));
    const ids = new Set(held.map(({ propertyId }) => propertyId));
    const own = (brokenOf.get(seq) ?? []).map(({ issue }) => issue);
    const issues = ids.size > 0 ? [...own, ...duplicatesRefusal(definition, ids).issues] : own;
    const found = issues.length > 0 ? issues : rehearsal.accept(intent);
    return found.length > 0 ? [{ seq, issues: found }] : [];
  });
}
