import { and, desc, eq, gte, lt } from 'drizzle-orm';
import * as z from 'zod';
import { listConfigurations } from '../../domain/app-configurations/find-configuration.ts';
import { createScan } from '../../domain/app-scans/create-scan.ts';
import type { AccountContext } from '../../domain/context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { deletePass } from '../../domain/passes/deletion/delete-pass.ts';
import { type DefinedPass, getDefinedPass } from '../../domain/passes/find-pass.ts';
import { passes } from '../../domain/passes/table.ts';
import { voidPass } from '../../domain/passes/update-pass.ts';
import { getTimeline } from '../../domain/timeline/get-timeline.ts';
import { type FormField, formFields } from '../../pages/console/passes/pass-form.ts';
import { isUuid, randomToken } from '../../platform/ids.ts';
import { deletePassFiles } from '../../wallets/apple/pass-file-cache.ts';
import { issuePass, reissuePass } from '../../wallets/issue-pass.ts';
import { CHOICES, type Choice } from './choices.ts';
import { orUndefined } from './find-demo.ts';

/*
 * Actions of front-page visitors on passes of the demo account. They use the API's functions, but reach only passes
 * that were created there, which their external ID shows.
 */

const PREFIX = 'front-page-';
/** Sorts after all external IDs with that prefix. */
const BEHIND = 'front-page.';
const TOKEN_BYTES = 12;
const VALUE_CHARS_MAX = 40;

/** Number of passes to keep. Creating another one deletes the oldest. */
export const PASSES_MAX = 20;
/** A pass with this many timeline entries takes no further actions. */
export const ENTRIES_MAX = 100;
export const NAME_CHARS_MAX = 40;

const trimmed = (max: number) =>
  z.string().trim().min(1, 'is required').max(max, `must have at most ${max} characters`);

/** Form for a new pass. */
export const NewPass = z.object({
  template: z.enum(
    CHOICES.map(({ templateName }) => templateName),
    'must be one of the listed templates',
  ),
  name: trimmed(NAME_CHARS_MAX),
});

/** Form for a new value. */
export const NewValue = z.object({ value: trimmed(VALUE_CHARS_MAX) });

/** A pass that was created on the front page. */
interface DemoPass extends DefinedPass {
  choice: Choice;
  /** The member that visitors can change; absent if somebody removed it from the template. */
  field?: FormField;
}

/** Creates a pass, and deletes the oldest ones beyond `PASSES_MAX`. Returns its identifier. */
export async function createDemoPass(ctx: AccountContext, { template, name }: z.infer<typeof NewPass>) {
  const choice = CHOICES.find(({ templateName }) => templateName === template)!;
  const fields = choice.fields(name, Date.now());
  const sent = { ...fields, userProvidedId: PREFIX + randomToken(TOKEN_BYTES) };
  const { pass } = await issuePass(ctx, template, sent, { wait: false });
  const all = await ctx.db
    .select({ id: passes.id })
    .from(passes)
    .where(
      and(eq(passes.accountId, ctx.account.id), gte(passes.userProvidedId, PREFIX), lt(passes.userProvidedId, BEHIND)),
    )
    .orderBy(desc(passes.id));
  for (const { id } of all.slice(PASSES_MAX)) await orUndefined(deletePass(ctx, id, deletePassFiles));
  return pass.id;
}

/** Returns the front-page pass with this identifier. Throws `not_found`. */
export async function getDemoPass(ctx: AccountContext, id: string): Promise<DemoPass> {
  if (!isUuid(id)) throw notFound();
  const found = await getDefinedPass(ctx, id);
  const { userProvidedId } = found.definition;
  const choice = CHOICES.find(({ templateName }) => templateName === userProvidedId);
  if (!choice || found.pass.id !== id || !found.pass.userProvidedId?.startsWith(PREFIX)) throw notFound();
  const { member } = choice.change;
  const field = formFields(found.definition).find(({ key, label }) => key === member || label === member);
  return { ...found, choice, field };
}

/** Changes the value of the pass. Throws `invalid` if the template refuses it. */
export async function changeDemoPass(ctx: AccountContext, id: string, { value }: z.infer<typeof NewValue>) {
  const { field } = await getOpenPass(ctx, id);
  if (!field) throw notFound();
  await reissuePass(ctx, id, { [field.key]: field.send(value) }, { mode: 'patch', wait: false });
}

/** Scans the pass with the first app configuration of the account. Throws a conflict without one. */
export async function scanDemoPass(ctx: AccountContext, id: string): Promise<void> {
  const { pass } = await getOpenPass(ctx, id);
  const [first] = await listConfigurations(ctx);
  if (!first) throw new DomainError('conflict', 'The demo account has no app configuration. Create one to scan');
  const configurationId = first.configuration.id;
  await createScan(ctx, { configurationId, barcode: pass.barcodeValue, deviceName: 'Front page' });
}

/** Voids the pass, or restores it. */
export async function voidDemoPass(ctx: AccountContext, id: string, isVoided: boolean): Promise<void> {
  await getOpenPass(ctx, id);
  await voidPass(ctx, id, isVoided);
}

/** Returns a pass that still takes actions. Throws a conflict if its timeline is too long. */
async function getOpenPass(ctx: AccountContext, id: string): Promise<DemoPass> {
  const found = await getDemoPass(ctx, id);
  const { entries } = await getTimeline(ctx, found.pass.id, { limit: ENTRIES_MAX });
  if (entries.length < ENTRIES_MAX) return found;
  throw new DomainError('conflict', `This pass has ${ENTRIES_MAX} events. Create another one`);
}
