import { asc } from 'drizzle-orm';
import { decrypt, encrypt } from '../../platform/sealed-text.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { clearIndex } from '../passes/search-index/index-pass.ts';
import { deleteProcessRows, endProcesses } from '../processes/copy-process.ts';
import { processes } from '../processes/table.ts';
import { clearRows, describeDatabase } from './database-pages.ts';
import { clearFiles } from './file-pages.ts';

/** The text that a probe encrypts, and the purpose it is bound to. */
const PROBE = 'backup';
/** Process objects to end per call. */
const OBJECTS_MAX = 100;

/** Encrypts a text that only a service with the same keys can read. */
export function sealProbe(ctx: Context): Promise<string> {
  return encrypt(ctx.env, PROBE, PROBE);
}

/**
 * Checks that a backup can be restored here: same tables, keys that decrypt it, and no data unless it may be replaced.
 * Throws `conflict`.
 */
export async function checkTarget(
  ctx: Context,
  { schema, probe, replace }: { schema: string; probe: string; replace: boolean },
): Promise<void> {
  const target = await describeDatabase(ctx);
  if (target.schema !== schema) {
    throw new DomainError(
      'conflict',
      'The tables of the database differ from those of the backup. Check out the release that made the backup, apply ' +
        'its migrations to an empty database, restore, then upgrade.',
    );
  }
  if (target.hasData && !replace) {
    throw new DomainError(
      'conflict',
      'The service has data. Restore into an empty one, or use --replace to delete it.',
    );
  }
  await decrypt(ctx.env, PROBE, probe).catch(() => {
    throw new DomainError(
      'conflict',
      'The encryption keys of the service differ from those of the backup. Set the keys from the time of the backup in ENCRYPTION_KEYS.',
    );
  });
}

/** Deletes a page of rows of a table, or of files without a table. Returns whether something may be left. */
export async function clearPage(ctx: Context, table: string | undefined): Promise<boolean> {
  if (table === undefined) return (await clearFiles(ctx)) > 0;
  if (table === 'processes') return clearProcesses(ctx);
  if (table === 'passes') await clearIndex(ctx);
  return (await clearRows(ctx, table)) > 0;
}

/** Deletes processes together with their objects. */
async function clearProcesses(ctx: Context): Promise<boolean> {
  const rows = await ctx.db.select({ id: processes.id }).from(processes).orderBy(asc(processes.id)).limit(OBJECTS_MAX);
  const ids = rows.map(({ id }) => id);
  await endProcesses(ctx, ids);
  await deleteProcessRows(ctx, ids);
  return ids.length > 0;
}
