import type { AccountContext } from '../context.ts';
import type { Issue } from '../errors.ts';
import { PassName } from '../fields.ts';
import { type DefinedTemplate, getTemplate } from '../templates/get-template.ts';
import { newId } from '../write-once.ts';
import { createsOf, errorsOf } from './process-items.ts';
import type { ProcessItem } from './process-state.ts';
import { type DryRun, type StartedProcess, startProcess } from './start-process.ts';

/** Passes to create from one template, each with its own fields. */
export interface BulkCreate {
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
