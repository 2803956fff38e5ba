import { slicesOf } from '../../../platform/chunks.ts';
import type { AccountContext } from '../../context.ts';
import { DomainError, type Issue } from '../../errors.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import { type DefinedTemplate, getTemplate } from '../../templates/get-template.ts';
import { brokenAmong, leftIn, type Room, type Rule, roomsQuery, rulesQuery } from '../rules.ts';
import type { Pass } from '../table.ts';
import { duplicatesRefusal, hasOtherClaims, takenValuesQuery, uniquePropertiesQuery } from '../unique-values.ts';
import { type CreateItem, planPass } from './bulk-create.ts';
import { namedPassesQuery, toDefinedPasses } from './bulk-find.ts';
import type { FailedItem } from './bulk-item.ts';
import { decideChange, rememberTemplates, type UpdateItem } from './bulk-update.ts';

/** Planned write of an item. */
export interface Intent {
  seq: number;
  pass: Pass;
  definition: StoredDefinition;
  rules: Rule[];
  /** Whether it claims values that may have to be unique. */
  claims: boolean;
}

/**
 * What the accepted items of a dry run take from the later ones: places in templates and bundles, names and unique
 * values. Items are accepted in their order.
 */
export class Rehearsal {
  readonly #left = new Map<string, number>();
  readonly #named = new Map<string, string>();
  readonly #claimed = new Map<string, string>();
  readonly #accepted = new Set<string>();
  readonly #unique = new Map<string, string[]>();

  /** Returns each room of these items once whose size isn't known yet; `keepRoom` keeps it. */
  unknownRooms(intents: Intent[]): Room[] {
    const rooms = intents.flatMap(({ rules }) => rules.flatMap(({ room }) => room ?? []));
    return [...new Map(rooms.map((room) => [room.of, room])).values()].filter(({ of }) => !this.#left.has(of));
  }

  /** Keeps the number of writes that fit into a room; null: any number. */
  keepRoom({ of }: Room, left: number | null): void {
    this.#left.set(of, left ?? Number.POSITIVE_INFINITY);
  }

  /** Returns the templates of these items whose unique properties aren't known yet; `keepUnique` keeps them. */
  unknownTemplates(intents: Intent[]): string[] {
    return [...new Set(intents.map(({ pass }) => pass.templateId))].filter((id) => !this.#unique.has(id));
  }

  /** Keeps the identifiers of a template's unique properties. */
  keepUnique(templateId: string, propertyIds: string[]): void {
    this.#unique.set(templateId, propertyIds);
  }

  /** Whether an accepted item writes this pass. What it held before is then free, or taken by the item. */
  hasAccepted(passId: string): boolean {
    return this.#accepted.has(passId);
  }

  /** Accepts an item, unless earlier items of the call leave it no room or have its values. Returns the issues. */
  accept({ pass, definition, rules, claims }: Intent): Issue[] {
    const broken = rules.filter(
      ({ room, name }) => (room && this.#isFull(room)) || (name && this.#isNamed(name, pass)),
    );
    const values = claims ? this.#valuesOf(pass) : [];
    const repeated = values.filter(([, value]) => (this.#claimed.get(value) ?? pass.id) !== pass.id);
    const duplicates = repeated.length > 0 && duplicatesRefusal(definition, new Set(repeated.map(([id]) => id)));
    const issues = [...broken.map(({ issue }) => issue), ...(duplicates ? duplicates.issues : [])];
    if (issues.length > 0) return issues;
    this.#accepted.add(pass.id);
    for (const { room } of rules) if (room) this.#left.set(room.of, this.#left.get(room.of)! - 1);
    for (const scope of ['account', 'template'] as const) this.#named.set(nameIn(scope, pass), pass.id);
    for (const [, value] of values) this.#claimed.set(value, pass.id);
    return [];
  }

  #isFull({ of }: Room): boolean {
    return this.#left.get(of)! <= 0;
  }

  #isNamed(scope: NonNullable<Rule['name']>, pass: Pass): boolean {
    return (this.#named.get(nameIn(scope, pass)) ?? pass.id) !== pass.id;
  }

  /** Returns the unique values of a pass: property ID, and what identifies the value in its template. */
  #valuesOf({ templateId, properties }: Pass): [string, string][] {
    const held = (this.#unique.get(templateId) ?? []).filter((id) => Object.hasOwn(properties, id));
    return held.map((id) => [id, JSON.stringify([templateId, id, String(properties[id])])]);
  }
}

/** Identifies the userProvidedId of a pass in its account or template. */
function nameIn(scope: NonNullable<Rule['name']>, { templateId, userProvidedId }: Pass): string {
  return JSON.stringify(scope === 'account' ? [userProvidedId] : [templateId, userProvidedId]);
}

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
  for (const page of slicesOf(items, PAGE_ITEMS)) {
    const names = page.map(({ name }) => name);
    const found = await toDefinedPasses(ctx, await namedPassesQuery(ctx, names));
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
  for (const page of slicesOf(items, PAGE_ITEMS)) {
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
  const askedRules = slicesOf(rules, RULES_MAX);
  const askedRooms = slicesOf(rehearsal.unknownRooms(intents), ROOMS_MAX);
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
