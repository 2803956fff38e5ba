import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { type Issue, invalidField, within } from '../errors.ts';
import { PassName } from '../fields.ts';
import { TEXT_CHARS_MAX } from '../limits.ts';
import type { Update } from '../passes/update-pass.ts';
import { UpdateFields } from '../passes/values/pass-fields.ts';
import { clearedPlaces } from '../passes/values/pass-patch.ts';
import { passDates } from '../passes/values/pass-values.ts';
import { checkQuery, type ResolvedQuery } from '../search/check-query.ts';
import { countPasses, selectPassIds } from '../search/search-passes.ts';
import { getSegment } from '../search/segments.ts';
import { type DefinedTemplate, getTemplate } from '../templates/get-template.ts';
import { newId } from '../write-once.ts';
import { createsOf, errorsOf, itemsOf, updatesOf } from './process-items.ts';
import type { ProcessItem } from './process-state.ts';
import { checkSize, type DryRun, ITEMS_CHECKED_MAX, type StartedProcess, startProcess } from './start-process.ts';

/** Passes to create from one template, each with its own fields. */
interface BulkCreate {
  /** Name of the template. */
  templateId: string;
  passes: Record<string, unknown>[];
  /** Unique names of the passes in the errors; absent: the userProvidedId or the position. */
  names?: string[];
}

/**
 * Starts a bulk create. Issues of a pass appear in the errors of the process. Throws not found for an unknown template.
 */
export async function startBulkCreate(
  ctx: AccountContext,
  { templateId, passes, names }: BulkCreate,
): Promise<StartedProcess> {
  const { template } = await getTemplate(ctx, templateId);
  return startProcess(ctx, {
    operation: { kind: 'create', templateId: template.id },
    items: newItems(ctx, passes, names),
  });
}

/**
 * Returns the issues that a bulk create from this template would have, by the position of the pass. Changes nothing.
 */
export async function checkNewPasses(
  ctx: AccountContext,
  template: DefinedTemplate,
  passes: Record<string, unknown>[],
): Promise<Map<number, Issue[]>> {
  const { checkCreatesOf } = await loadChecks();
  const failed = await checkCreatesOf(ctx, template, createsOf(newItems(ctx, passes)));
  return new Map(failed.map(({ seq, issues }) => [seq, issues]));
}

/** Returns the issues that a bulk create would have. Changes nothing. Throws not found for an unknown template. */
export async function checkBulkCreate(ctx: AccountContext, { templateId, passes, names }: BulkCreate): Promise<DryRun> {
  const items = newItems(ctx, passes, names);
  const { checkCreates } = await loadChecks();
  const failed = await checkCreates(ctx, templateId, createsOf(items));
  return { count: items.length, checked: items.length, errors: errorsOf(items, failed) };
}

/** Only dry runs and imports need the checks. */
const loadChecks = () => import('../passes/bulk/bulk-check.ts');

/**
 * Creates the items with the identifiers of their passes. An item is named by its userProvidedId, or by its position if
 * that is missing, repeated or too long. A row of the object holds 2 MB, for name and fields.
 */
function newItems(ctx: AccountContext, passes: Record<string, unknown>[], names?: string[]): ProcessItem[] {
  const named = new Set<string>();
  return passes.map((data, seq) => {
    const { data: name = '' } = PassName.safeParse(data.userProvidedId);
    const own = name !== '' && !named.has(name) ? name : String(seq);
    const key = names?.[seq] ?? own;
    named.add(key);
    return { seq, key, data, passId: newId(ctx, 'pass', seq) };
  });
}

/** Names the passes of a bulk update in exactly one of these ways. */
export type Filter = { identifiers: string[] } | { query: Record<string, unknown> } | { segmentId: string };

/** A bulk update: the same data for all, or each pass with its own. */
export interface BulkUpdate {
  mode: Update['mode'];
  change:
    | { data: Record<string, unknown>; filter: Filter }
    | { passes: { identifier: string; data: Record<string, unknown> }[] };
}

/** The items of a bulk update. */
interface Selection {
  items: ProcessItem[];
  /** Number of selected passes: an identifier that is named twice counts once. */
  count: number;
  query?: { sent: Record<string, unknown>; resolved: ResolvedQuery };
}

/**
 * Starts a bulk update; `count` is the number of selected passes. Throws `invalid`, `too_large`, and not found for an
 * unknown segment, or template or project of the query.
 */
export async function startBulkUpdate(
  ctx: AccountContext,
  { mode, change }: BulkUpdate,
): Promise<StartedProcess & { count: number }> {
  const { items, count, query } = await select(ctx, change);
  const data = 'data' in change ? change.data : undefined;
  const operation = { kind: 'update' as const, mode, data };
  const started = await startProcess(ctx, { operation, query: query?.sent, items, expected: count });
  return { ...started, count };
}

/**
 * Returns the issues that a bulk update would have, for at most `ITEMS_CHECKED_MAX` passes. Changes nothing. Throws the
 * same as `startBulkUpdate`.
 */
export async function checkBulkUpdate(ctx: AccountContext, { mode, change }: BulkUpdate): Promise<DryRun> {
  const { items: named, count, query } = await select(ctx, change);
  const items = query ? itemsOf(await selectPassIds(ctx, query.resolved, { limit: ITEMS_CHECKED_MAX })) : named;
  const data = 'data' in change ? change.data : undefined;
  const { checkUpdates } = await import('../passes/bulk/bulk-check.ts');
  const failed = await checkUpdates(ctx, updatesOf({ kind: 'update', mode, data }, items));
  return { count, checked: items.length, errors: errorsOf(items, failed) };
}

async function select(ctx: AccountContext, change: BulkUpdate['change']): Promise<Selection> {
  if ('passes' in change) {
    // The last one wins, as if the caller had written both in turn.
    const data = new Map(change.passes.map((pass) => [pass.identifier, pass.data]));
    const items = [...data].map(([key, own], seq) => ({ seq, key, data: own }));
    for (const { key, data } of items) checkPushText(data, `passes "${key}": `);
    return { items, count: items.length };
  }
  await within('data', () => checkData(ctx, change.data));
  const { filter } = change;
  if ('identifiers' in filter) {
    const items = itemsOf([...new Set(filter.identifiers)]);
    return { items, count: items.length };
  }
  const sent = 'query' in filter ? filter.query : (await getSegment(ctx, filter.segmentId)).query;
  checkSize('filter.query', sent);
  const resolved = await checkQuery(ctx, sent);
  return { items: [], count: await countPasses(ctx, resolved), query: { sent, resolved } };
}

/** Throws `invalid` for data that no template accepts; each pass checks the rest itself. */
function checkData(ctx: AccountContext, data: Record<string, unknown>): void {
  passDates(checked(UpdateFields, data), ctx.account.timezone);
  clearedPlaces(data);
  checkPushText(data);
}

/**
 * Checks the text of a push, which is sent with the change to the devices that have the pass; null or '' means none.
 */
function checkPushText({ pushNotificationText: text }: Record<string, unknown>, within = ''): void {
  if (text == null) return;
  if (typeof text === 'object') throw invalidField(`${within}pushNotificationText`, 'must be a string');
  if (String(text).length > TEXT_CHARS_MAX) {
    throw invalidField(`${within}pushNotificationText`, `must have at most ${TEXT_CHARS_MAX} characters`);
  }
}
