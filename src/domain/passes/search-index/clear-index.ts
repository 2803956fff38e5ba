import { sql } from 'drizzle-orm';
import { rawStatement } from '../../../platform/raw-statement.ts';
import type { Context } from '../../context.ts';

/** Empties the search index, because all passes are deleted with it (SQLite, FTS5, "The 'delete-all' Command"). */
export async function clearIndex(ctx: Context): Promise<void> {
  await rawStatement(ctx.db, sql`insert into pass_terms (pass_terms) values ('delete-all')`);
}
