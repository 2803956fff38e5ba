import { and, eq, getTableColumns, is, SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { retryUntilSettled } from '../../platform/transient-error.ts';
import { type AccountContext, type Actor, type Context, isHere, type OwnerContext } from '../context.ts';
import { shardPlaces } from '../databases/table.ts';
import { DIRECTORY, databaseNames } from '../shard-map.ts';
import type { ActionName } from './actions.ts';
import { auditEntries, type FieldChange } from './table.ts';

/** Stored characters of the name of an actor, a target or a field. */
const NAME_CHARS_MAX = 200;
/** Fields that an entry lists. A longer list ends with the number of the others. */
const CHANGES_MAX = 50;

const SYSTEM: Actor = { type: 'system', id: null, name: 'system' };

/** An action to record. */
export interface Action {
  /** Identifier from `newEntryId`: retries write the entry once. Absent: a new one. */
  id?: string;
  action: ActionName | SQL<ActionName>;
  /** The row that the action concerns; SQL for values that only the batch knows. No name if it is personal data. */
  target?: { type: string; id?: string | SQL | null; name?: string | SQL | null };
  /** Fields that change: see `FieldChange`, and `columnChanges` for SQL. */
  changes?: readonly FieldChange[] | SQL;
  /** A table in which `condition` selects one row, which `target` and `changes` read. */
  from?: SQLiteTable | SQL;
}

/** True if the statement before it in the batch changed a row. */
export const HAS_CHANGED = sql`changes() > 0`;

/** Always true: for actions that change no row, such as a view or an export. */
export const ALWAYS = sql`true`;

/** Returns the identifier for a new entry. */
export function newEntryId(ctx: Pick<OwnerContext, 'account'>): string {
  return uuidv7(shardOf(ctx.account.id));
}

/** Returns SQL that is true once the account's entry with this identifier is written. */
export function isEntered(ctx: Pick<OwnerContext, 'account'>, id: string): SQL {
  return sql`exists (select 1 from ${auditEntries} where ${and(eq(auditEntries.id, id), eq(auditEntries.accountId, ctx.account.id))})`;
}

/** Returns the identifier if the account has this entry. */
export async function findEntry(ctx: Pick<AccountContext, 'db' | 'account'>, id: string): Promise<string | undefined> {
  const isTarget = and(eq(auditEntries.id, id), eq(auditEntries.accountId, ctx.account.id));
  const [entry] = await ctx.db.select({ id: auditEntries.id }).from(auditEntries).where(isTarget);
  return entry?.id;
}

/**
 * Builds the statement that records an action in the account's log. Put it into the batch of the change, so that both
 * commit together: right after the statement that decides, or anywhere with a `condition` that is true only if the
 * change takes place.
 */
export function recordAction(ctx: OwnerRecorder, action: Action, condition: SQL = HAS_CHANGED) {
  const { id, name, type } = ctx.actor ?? SYSTEM;
  return insertEntries(ctx, action, {
    id: sql`${action.id ?? newEntryId(ctx)}`,
    accountId: sql`${ctx.account.id}`,
    actor: sql`${type}, ${id}, ${name.slice(0, NAME_CHARS_MAX)}`,
    rows: sql`${action.from ? sql`from ${action.from}` : sql``} where ${condition}`,
    isAway: isAway(ctx) ? sql`1` : undefined,
  });
}

function isAway({ env, database, account }: OwnerRecorder): boolean {
  return env !== undefined && !isHere({ env, database }, account.id);
}

/** Records what a member does to a pass in the console. Writes of others are in the pass's timeline. */
export function recordMemberAction(ctx: OwnerContext, action: ActionName, passId: string, condition: SQL) {
  if (ctx.actor?.type !== 'user') return [];
  return [recordAction(ctx, { action, target: { type: 'pass', id: passId } }, condition)];
}

/** Builds the statement that adds an entry per row `from` a table to the log of `accountId`. See `recordAction`. */
export function recordActions(ctx: Context, accountId: SQL | SQLWrapper, action: Omit<Action, 'id'>, condition: SQL) {
  const { id, name, type } = ctx.actor ?? SYSTEM;
  return insertEntries(ctx, action, {
    id: newIdIn(accountId),
    accountId: sql`${accountId}`,
    actor: sql`${type}, ${id}, ${name.slice(0, NAME_CHARS_MAX)}`,
    rows: sql`${action.from ? sql`from ${action.from}` : sql``} where ${condition}`,
  });
}

/** Limit of the random number from which the identifiers of one statement count up. */
const FIRST_BELOW = 2 ** 31;

/**
 * Returns SQL for identifiers like those of `uuidv7`, for a statement that writes several entries. A repeat of the
 * statement gets the same ones, so each entry is written once.
 */
function newIdIn(accountId: SQL | SQLWrapper): SQL {
  const first = Math.floor(Math.random() * FIRST_BELOW);
  const number = sql`row_number() over (order by ${accountId})`;
  return sql`${uuidv7().slice(0, 24)} || printf('%08x', ${first} + ${number}) || substr(${accountId}, -4)`;
}

/** Returns a context that records entries for an account of which only the identifier is known. */
export function ofOwner(ctx: Context, accountId: string): OwnerContext {
  return { ...ctx, account: { id: accountId, ancestorIds: [] } };
}

/** Records an action that changes no row, once. One round trip, and more only after transient errors. */
export async function recordView(ctx: OwnerContext, action: Omit<Action, 'id' | 'changes' | 'from'>): Promise<void> {
  const id = newEntryId(ctx);
  await retryUntilSettled(async () => recordAction(ctx, { id, ...action }, ALWAYS));
}

/**
 * Builds the statement that records a person's action, such as a sign-in, in all of the person's accounts. Without
 * `ctx.actor`, the person is the actor. Commit it with the change in the directory; then `forwardOwnEntries` brings the
 * entries to accounts that live elsewhere. See `recordAction`.
 */
export function recordPersonAction(
  ctx: Context,
  action: Omit<Action, 'target' | 'from' | 'id'>,
  userId: SQL | string,
  condition: SQL = HAS_CHANGED,
) {
  const { actor } = ctx;
  const [person, member] = [sql.identifier('person'), sql.identifier('member')];
  // Memberships import the log, not the other way around, so their tables are named in SQL.
  return insertEntries(
    ctx,
    { ...action, target: { type: 'user', id: sql`${person}.id`, name: sql`${person}.email` } },
    {
      id: newIdIn(sql`${member}.account_id`),
      accountId: sql`${member}.account_id`,
      actor: actor ? sql`${actor.type}, ${actor.id}, ${actor.name}` : sql`'user', ${person}.id, ${person}.email`,
      rows: sql`from users as ${person} join memberships as ${member} on ${member}.user_id = ${person}.id
        where ${person}.id = ${userId} and ${condition}`,
      isAway: databaseNames(ctx.env).length === 1 ? undefined : isElsewhere(sql`${member}.account_id`),
    },
  );
}

/** Returns SQL for 1 if an account lives outside the directory, else null. Forwarding corrects errors. */
function isElsewhere(accountId: SQL): SQL {
  const isMoved = sql`exists (select 1 from ${shardPlaces} where subject = ${accountId} and ${shardPlaces.database} <> ${DIRECTORY})`;
  return sql`iif(substr(${accountId}, -2) = '00' and not ${isMoved}, null, 1)`;
}

/** Without `env`, `db` is the database of the account. */
type Recorder = Pick<Context, 'db' | 'actor' | 'ip' | 'requestId'> & Partial<Pick<Context, 'env' | 'database'>>;
type OwnerRecorder = Recorder & Pick<OwnerContext, 'account'>;

interface Row {
  id: SQL;
  accountId: SQL;
  /** Type, identifier and name. */
  actor: SQL;
  /** The rest of the select, from `from` on. */
  rows: SQL;
  /** SQL for 1 or null; absent: the account lives here. */
  isAway?: SQL;
}

function insertEntries(
  ctx: Recorder,
  { action, target, changes }: Action,
  { id, accountId, actor, rows, isAway }: Row,
) {
  const { type = null, id: targetId = null, name = null } = target ?? {};
  const named = sql`substr(coalesce(${name}, ''), 1, ${NAME_CHARS_MAX})`;
  return rawStatement(
    ctx.db,
    sql`insert into ${auditEntries} (id, account_id, actor_type, actor_id, email, action, target_type, target_id, target,
        outcome, ip, request_id, changes, created_at${isAway ? sql`, is_away` : sql``})
      select ${id}, ${accountId}, ${actor}, ${action}, ${type}, ${targetId}, ${named}, 'done', ${ctx.ip ?? null},
        ${ctx.requestId}, ${changesOf(changes)}, ${Date.now()}${isAway ? sql`, ${isAway}` : sql``} ${rows} on conflict (id) do nothing`,
  );
}

function changesOf(changes: Action['changes']): SQL {
  if (changes === undefined) return sql`null`;
  if (changes instanceof SQL) return changes;
  const kept = changes.slice(0, CHANGES_MAX).map(({ field, ...values }) => ({
    field: field.slice(0, NAME_CHARS_MAX),
    ...values,
  }));
  const more = changes.length - kept.length;
  return sql`${JSON.stringify(more > 0 ? [...kept, { field: `${more} more` }] : kept)}`;
}

/** Returns changes that list the fields without values. */
export function fieldsOnly(fields: string[]): FieldChange[] {
  return [...new Set(fields)].map((field) => ({ field }));
}

/**
 * Returns SQL for the columns of a row that `values` change, compared when the batch runs: for an entry `from` the
 * table, before the update. Columns in `hidden` are listed without values.
 */
export function columnChanges<T extends SQLiteTable>(
  table: T,
  values: Partial<Record<keyof T['_']['columns'], unknown>>,
  hidden: (keyof T['_']['columns'])[] = [],
): SQL {
  const columns = getTableColumns(table);
  const changes = Object.entries(values).map(([name, value]) => {
    const column = columns[name]!;
    const next = is(value, SQL) ? value : sql`${sql.param(value, column)}`;
    const shown = (one: SQL) => {
      if (column.dataType === 'json') return sql`json(${one})`;
      return column.dataType === 'boolean' ? sql`json(iif(${one}, 'true', 'false'))` : one;
    };
    const both = hidden.includes(name) ? sql`` : sql`, 'old', ${shown(sql`${column}`)}, 'new', ${shown(next)}`;
    return sql`json(iif(${column} is not ${next}, json_object('field', ${name}${both}), null))`;
  });
  return sql`(select json_group_array(json(value)) from json_each(json_array(${sql.join(changes, sql`, `)})) where value is not null)`;
}

/** Removes the identifiers of deleted sub-customers from the log of their parent account; `ids` is an SQL query. */
export function forgetSubCustomers(ctx: OwnerContext, ids: SQL) {
  const isCreation = and(eq(auditEntries.accountId, ctx.account.id), eq(auditEntries.action, 'account.create'));
  return ctx.db
    .update(auditEntries)
    .set({ targetId: null })
    .where(and(isCreation, sql`${auditEntries.targetId} in ${ids}`));
}
