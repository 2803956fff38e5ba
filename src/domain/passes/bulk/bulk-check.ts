import type { AccountContext } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import { type DefinedTemplate, getTemplate } from '../../templates/get-template.ts';
import { brokenAmong, type Rule, rulesQuery } from '../rules.ts';
import type { Pass } from '../table.ts';
import { duplicatesRefusal, hasOtherClaims, takenValuesQuery } from '../unique-values.ts';
import { type CreateItem, planPass } from './bulk-create.ts';
import { namedPassesQuery, toDefinedPasses } from './bulk-find.ts';
import { type FailedItem, pieces } from './bulk-item.ts';
import { decideChange, rememberTemplates, type UpdateItem } from './bulk-update.ts';

/** Items checked together. */
const PAGE_ITEMS = 100;
/** A rule binds up to seven parameters, a statement at most a hundred. */
const RULES_MAX = 14;

/** Planned write of an item. */
interface Intent {
  seq: number;
  pass: Pass;
  definition: StoredDefinition;
  rules: Rule[];
  /** Whether it claims values that may have to be unique. */
  claims: boolean;
}

/** Returns the items that `updatePasses` would refuse in the current state, each checked on its own. Writes nothing. */
export async function checkUpdates(ctx: AccountContext, items: UpdateItem[]): Promise<FailedItem[]> {
  const failed: FailedItem[] = [];
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
    failed.push(...(await refused(ctx, intents)));
  }
  return failed;
}

/**
 * Returns the items that `createPasses` would refuse in the current state, each checked on its own. Writes nothing.
 * Throws not found for the template.
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
  for (const page of pieces(items, PAGE_ITEMS)) {
    const intents: Intent[] = [];
    for (const item of page) {
      const planned = await planPass(ctx, template, item, new Map());
      if (planned instanceof DomainError) failed.push({ seq: item.seq, issues: planned.issues });
      else intents.push({ ...planned, definition: template.definition, claims: true });
    }
    failed.push(...(await refused(ctx, intents)));
  }
  return failed;
}

async function refused(ctx: AccountContext, intents: Intent[]): Promise<FailedItem[]> {
  const found: FailedItem[] = [];
  const rules = intents.flatMap(({ seq, rules }) => rules.map((rule) => ({ ...rule, seq })));
  const asked = pieces(rules, RULES_MAX);
  const claiming = intents.filter(({ claims }) => claims);
  const claimed = claiming.map(({ pass }) => pass);
  const [taken, ...answers] = await ctx.db.batch([
    takenValuesQuery(ctx, claimed),
    ...asked.map((piece) => rulesQuery(ctx, piece)),
  ]);
  for (const [i, piece] of asked.entries()) {
    for (const { seq, issue } of brokenAmong(piece, answers[i]!)) found.push({ seq, issues: [issue] });
  }
  for (const [place, rows] of Map.groupBy(taken, (row) => row.place)) {
    const { seq, definition } = claiming[place]!;
    found.push({ seq, issues: duplicatesRefusal(definition, new Set(rows.map((row) => row.propertyId))).issues });
  }
  const bySeq = Map.groupBy(found, ({ seq }) => seq);
  return [...bySeq].map(([seq, list]) => ({ seq, issues: list.flatMap(({ issues }) => issues) }));
}
