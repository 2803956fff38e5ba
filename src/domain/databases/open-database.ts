import { eq, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { type Context, inDatabase, inDirectory } from '../context.ts';
import { DomainError, invalidField } from '../errors.ts';
import { DIRECTORY, databaseNames } from '../shard-map.ts';
import { usedDatabases } from './list-databases.ts';
import { databases } from './table.ts';

/**
 * Opens a database, perhaps a new one, for new accounts; `prepare` stores in it what each database needs. Throws
 * `invalid` for a name that is not bound, and `conflict` for a database whose migrations are missing.
 */
export async function openForAccounts(
  ctx: Context,
  name: string,
  prepare: (ctx: Context, names: string[]) => Promise<void>,
): Promise<void> {
  const names = databaseNames(ctx.env);
  if (!names.includes(name)) throw invalidField('name', `must be a database binding: ${names.join(', ')}`);
  const opened = inDatabase(ctx, name);
  if ((await schemaOf(opened)) !== (await schemaOf(inDirectory(ctx))))
    throw new DomainError('conflict', `${name} lacks tables of ${DIRECTORY}; apply the migrations first`);
  if (name !== DIRECTORY) await prepare(ctx, [name]);
  await setOpen(ctx, name, true);
}

/** Closes a database for new accounts. Throws `invalid` for a database that is not in use. */
export async function closeForAccounts(ctx: Context, name: string): Promise<void> {
  const used = (await usedDatabases(ctx)).map((one) => one.name);
  if (!used.includes(name)) throw invalidField('name', `must be one of ${used.join(', ')}`);
  await setOpen(ctx, name, false);
}

async function setOpen(ctx: Context, name: string, isOpen: boolean): Promise<void> {
  await inDirectory(ctx)
    .db.insert(databases)
    .values({ name, isOpen, addedAt: Date.now() })
    .onConflictDoUpdate({ target: databases.name, set: { isOpen } });
}

/** Returns the names of tables and their columns, because migrations leave different texts of the same definition. */
async function schemaOf({ db }: Context): Promise<string> {
  const rows = await rawStatement<{ columns: string }>(
    db,
    sql`select one.name || ' ' || group_concat(part.name) as columns from sqlite_master as one, pragma_table_info(one.name) as part
      where one.type = 'table' and one.name not like '\\_cf%' escape '\\' and one.name not like 'sqlite%'
        and one.name not like 'd1\\_%' escape '\\' group by one.name order by one.name`,
  );
  return rows.map(({ columns }) => columns).join('\n');
}

/** Stores a database's measurement in the directory, so that a request for the service's status reads one table. */
export async function keepMeasured(ctx: Context, measured: object): Promise<void> {
  const isTarget = eq(databases.name, ctx.database ?? DIRECTORY);
  await inDirectory(ctx).db.update(databases).set({ measured }).where(isTarget);
}
