import { shardOf, UUID_PATTERN, uuidv7 } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { checkCreates } from '../passes/bulk-check.ts';
import { getTemplate } from '../templates/load-definition.ts';
import { createsOf, errorsOf } from './process-items.ts';
import type { ProcessItem } from './process-state.ts';
import { type DryRun, type StartedProcess, startProcess } from './start-process.ts';

/** Passes to create from one template, each with its own fields. */
export interface BulkCreate {
  templateId: string;
  passes: Record<string, unknown>[];
}

/** Starts a bulk create. Throws not found for an unknown template; what is wrong with a pass is told in the errors of the process. */
export async function startBulkCreate(
  ctx: AccountContext,
  { templateId, passes }: BulkCreate,
): Promise<StartedProcess> {
  if (!UUID_PATTERN.test(templateId)) throw notFound();
  await getTemplate(ctx, templateId);
  return startProcess(ctx, { operation: { kind: 'create', templateId }, items: newItems(ctx, passes) });
}

/** Says what a bulk create would refuse, and changes nothing. Throws not found for an unknown template. */
export async function checkBulkCreate(ctx: AccountContext, { templateId, passes }: BulkCreate): Promise<DryRun> {
  if (!UUID_PATTERN.test(templateId)) throw notFound();
  const items = newItems(ctx, passes);
  const failed = await checkCreates(ctx, templateId, createsOf(items));
  return { count: items.length, checked: items.length, errors: errorsOf(items, failed) };
}

/** Each pass gets its identifier now. Errors name it by its userProvidedId, or by its place where it has none or another has it too (decisions §4, "Bulk"). */
function newItems(ctx: AccountContext, passes: Record<string, unknown>[]): ProcessItem[] {
  const named = new Set<string>();
  return passes.map((data, seq) => {
    const name = typeof data.userProvidedId === 'number' ? String(data.userProvidedId) : data.userProvidedId;
    const key = typeof name === 'string' && name !== '' && !named.has(name) ? name : String(seq);
    named.add(key);
    return { seq, key, data, passId: uuidv7(shardOf(ctx.account.id)) };
  });
}
