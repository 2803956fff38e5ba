import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { AccountContext } from '../context.ts';
import { DomainError, notFound } from '../errors.ts';
import type { EventType } from '../events/catalog.ts';
import { recordEvent } from '../events/record-event.ts';
import { countPass } from '../templates/count-passes.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { type DefinedPass, getDefinedPass } from './find-pass.ts';
import { passEventBody } from './pass-event.ts';
import { refusal, rulesOf } from './rules.ts';
import { type Pass, passes } from './table.ts';
import { claimsDiffer, claimUniqueValues, releaseUniqueValues, uniqueValueRefusal } from './unique-values.ts';

/** What a pass shall become. */
export interface NextState {
  pass: Pass;
  /** Where it moves; absent: it stays in its template and definition. */
  target?: { definition: StoredDefinition; version: number };
  /** Whether the caller asked for a userProvidedId that is unique in the account. */
  uniqueInAccount?: boolean;
}

/** Attempts at a change while others change the same pass; each round one of the rivals succeeds, so this is also how many may race. */
const ATTEMPTS_MAX = 100;

/** A second between two changes at least: devices compare whole seconds and would take two quick changes for one (wallet.md §3). */
const CHANGE_DISTANCE_MS = 1_000;

/**
 * Changes one pass of the account: `next` says from the state that was read what it shall become, and is asked again when another change came
 * between. Everything is one batch: the row (its version one higher), counts, unique values and events. A state that does not differ writes nothing.
 * Two round trips. Throws not found, `invalid` for a broken rule, and what `next` throws.
 */
export async function changePass(
  ctx: AccountContext,
  name: string,
  next: (found: DefinedPass) => NextState | Promise<NextState>,
  first?: DefinedPass,
): Promise<DefinedPass> {
  let found = first ?? (await getDefinedPass(ctx, name));
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    if (attempt > 0) found = await getDefinedPass(ctx, found.pass.id);
    const state = await next(found);
    const columns = changedColumns(found.pass, state.pass);
    if (columns.length === 0) return found;
    const changed = await commit(ctx, found, state, columns);
    if (changed) return changed;
  }
  throw new DomainError('conflict', 'The pass is being changed by many requests at once; try again');
}

type Column = keyof Pass;

/** Columns in which two states of a pass differ; bookkeeping columns follow from the change and are no reason for it. */
function changedColumns(before: Pass, after: Pass): Column[] {
  const columns = Object.keys(getTableColumns(passes)) as Column[];
  return columns.filter((column) => canonical(before[column]) !== canonical(after[column]));
}

/** JSON with sorted keys: the order in which a value was put together is no change. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

async function commit(
  ctx: AccountContext,
  found: DefinedPass,
  { pass: wanted, target, uniqueInAccount = false }: NextState,
  columns: Column[],
): Promise<DefinedPass | undefined> {
  const before = found.pass;
  const modifiedAt = Math.max(Date.now(), before.modifiedAt + CHANGE_DISTANCE_MS);
  const pass: Pass = { ...wanted, version: before.version + 1, modifiedAt };
  const definition = target?.definition ?? found.definition;
  const moves = pass.templateId !== before.templateId;
  const rules = rulesOf(ctx, {
    pass,
    definition,
    uniqueInAccount,
    entersTemplate: moves,
    entersBundle: pass.bundleId !== before.bundleId,
    takesName: moves || uniqueInAccount || pass.userProvidedId !== before.userProvidedId,
  });
  const unchanged = sql`exists (select 1 from ${passes} where ${eq(passes.id, pass.id)} and ${eq(passes.version, before.version)})`;
  // What depends on the change stands before it in the batch, under the same condition: afterwards nothing would tell whose change it was.
  const applies = sql.join([unchanged, ...rules.map((rule) => rule.holds)], sql` and `);
  const dependants = [
    ...eventsOf(ctx, before, pass, definition, columns, applies),
    ...(moves ? [countPass(ctx, before.templateId, -1, applies), countPass(ctx, pass.templateId, 1, applies)] : []),
    ...(claimsDiffer(before, pass, found.definition, definition)
      ? [releaseUniqueValues(ctx, pass.id, applies), ...claimUniqueValues(ctx, pass, definition, applies)]
      : []),
  ];
  const values = Object.fromEntries([...columns, 'version', 'modifiedAt'].map((name) => [name, pass[name as Column]]));
  const update = ctx.db
    .update(passes)
    .set(values)
    .where(and(eq(passes.id, pass.id), applies))
    .returning({ id: passes.id });
  const written = await run(ctx, [...dependants, update], pass, definition);
  if (written) return { pass, template: found.template, definition, version: target?.version ?? found.version };
  await explain(ctx, pass.id, before.version, rules);
  return undefined;
}

async function run(
  ctx: AccountContext,
  statements: BatchItem<'sqlite'>[],
  pass: Pass,
  definition: StoredDefinition,
): Promise<boolean> {
  try {
    const results = await ctx.db.batch(statements as [BatchItem<'sqlite'>]);
    return (results.at(-1) as { id: string }[]).length > 0;
  } catch (error) {
    throw (await uniqueValueRefusal(ctx, error, pass, definition)) ?? error;
  }
}

/** Throws why a change was not written; returns when another change came between and a new attempt is due. */
async function explain(ctx: AccountContext, id: string, version: number, rules: Parameters<typeof refusal>[1]) {
  const [row] = await ctx.db.select({ version: passes.version }).from(passes).where(eq(passes.id, id));
  if (!row) throw notFound();
  if (row.version === version) throw await refusal(ctx, rules);
}

/** A void says so and nothing else; any other change is an update (decisions §8, "Webhooks"). */
function eventsOf(
  ctx: AccountContext,
  before: Pass,
  pass: Pass,
  definition: StoredDefinition,
  columns: Column[],
  condition: SQL,
) {
  const types: EventType[] = [];
  if (pass.voided !== before.voided) types.push(pass.voided ? 'pass_voided' : 'pass_unvoided');
  if (columns.some((column) => column !== 'voided')) types.push('pass_updated');
  const body = passEventBody(ctx, pass, definition);
  const { templateId, id: passId } = pass;
  return types.map((type) => recordEvent(ctx, { type, templateId, passId, body, condition }));
}
