import type { AccountContext } from '../context.ts';
import type { Issue } from '../errors.ts';
import { PassName } from '../fields.ts';
import { checkCreates, checkCreatesOf } from '../passes/bulk/bulk-check.ts';
import { type DefinedTemplate, getTemplate } from '../templates/get-template.ts';
import { newId } from '../write-once.ts';
import { createsOf, errorsOf } from './process-items.ts';
import type { ProcessItem } from './process-state.ts';
import { type DryRun, type StartedProcess, startProcess } from './start-process.ts';

/** Passes to create from one template, each with its own fields. */
export interface BulkCreate {
  /** What names the template. */
  templateId: string;
  passes: Record<string, unknown>[];
  /** What names each pass in the errors, all different; absent: its userProvidedId or its place. */
  names?: string[];
}

/**
 * Starts a bulk create. Throws not found for an unknown template; what is wrong with a pass stands in the errors of
 * the process.
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
 * Says what a bulk create from a template that was read before would refuse of some passes, by their places, and
 * changes nothing.
 */
export async function checkNewPasses(
  ctx: AccountContext,
  template: DefinedTemplate,
  passes: Record<string, unknown>[],
): Promise<Map<number, Issue[]>> {
  const failed = await checkCreatesOf(ctx, template, createsOf(newItems(ctx, passes)));
  return new Map(failed.map(({ seq, issues }) => [seq, issues]));
}

/** Says what a bulk create would refuse, and changes nothing. Throws not found for an unknown template. */
export async function checkBulkCreate(ctx: AccountContext, { templateId, passes, names }: BulkCreate): Promise<DryRun> {
  const items = newItems(ctx, passes, names);
  const failed = await checkCreates(ctx, templateId, createsOf(items));
  return { count: items.length, checked: items.length, errors: errorsOf(items, failed) };
}

/**
 * Each pass gets its identifier now. Errors name it by its userProvidedId, or by its place where it has none, another
 * has it too, or it is longer than a name may be: an object's row holds 2 MB, and has name and fields.
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
