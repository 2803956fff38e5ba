import * as z from 'zod';
import { countRows, describeDatabase, insertRows, readRows, setSequences } from '../domain/backups/database-pages.ts';
import { listFiles, readFilePart, writeFilePart } from '../domain/backups/file-pages.ts';
import { checkTarget, clearPage, sealProbe } from '../domain/backups/restore-service.ts';
import { type Context, inDatabase } from '../domain/context.ts';
import { invalidField } from '../domain/errors.ts';
import { rebuildClaims } from '../domain/passes/rebuild-claims.ts';
import { readProcess, writeProcess } from '../domain/processes/copy-process.ts';
import { DIRECTORY, databaseNames } from '../domain/shard-map.ts';
import { type AdminCommand, command } from './command.ts';

/*
 * Commands that `npm run backup` and `npm run restore` call page by page. Operators don't call them directly, so they
 * have no usage text and the list of commands leaves them out.
 */

const Whole = z.number().int().min(0);
/** The database of a page; the default is the first. */
const OfDatabase = z.object({ database: z.string().default(DIRECTORY) });
const Process = z.object({ id: z.uuid() });

export const BACKUP_COMMANDS: Record<string, AdminCommand> = {
  'backup describe': command('', OfDatabase, async (ctx, { database }) => ({
    ...(await describeDatabase(bound(ctx, database))),
    probe: await sealProbe(ctx),
  })),
  'backup rows': command(
    '',
    OfDatabase.extend({ table: z.string(), after: z.string().optional(), upTo: Whole.optional() }),
    (ctx, { database, ...page }) => readRows(bound(ctx, database), page),
  ),
  'backup process': command('', Process.extend({ place: z.string().nullable() }), (ctx, { id, place }) =>
    readProcess(ctx, id, place),
  ),
  'backup files': command('', z.object({ cursor: z.string().optional() }), (ctx, { cursor }) => listFiles(ctx, cursor)),
  'backup file': command('', z.object({ name: z.string(), part: Whole }), (ctx, { name, part }) =>
    readFilePart(ctx, name, part),
  ),
  'restore check': command(
    '',
    OfDatabase.extend({ schema: z.string(), probe: z.string(), replace: z.boolean() }),
    async (ctx, { database, ...backup }) => {
      await checkTarget(bound(ctx, database), backup);
      return { possible: true };
    },
  ),
  'restore clear': command(
    '',
    OfDatabase.extend({ table: z.string().optional() }),
    async (ctx, { database, table }) => ({ more: await clearPage(bound(ctx, database), table) }),
  ),
  'restore rows': command(
    '',
    OfDatabase.extend({ table: z.string(), columns: z.array(z.string()), rows: z.array(z.string()) }),
    async (ctx, { database, ...page }) => {
      await insertRows(bound(ctx, database), page);
      return { stored: page.rows.length };
    },
  ),
  'restore process': command(
    '',
    Process.extend({ rows: z.string(), isFirst: z.boolean(), isLast: z.boolean() }),
    async (ctx, page) => {
      await writeProcess(ctx, page);
      return { stored: true };
    },
  ),
  'restore file': command(
    '',
    z.object({
      file: z.object({
        ...{ name: z.string(), part: Whole, isLast: z.boolean(), data: z.string() },
        ...{ contentType: z.string().optional(), metadata: z.record(z.string(), z.string()).optional() },
      }),
      upload: z
        .object({ id: z.string(), parts: z.array(z.object({ partNumber: z.number(), etag: z.string() })) })
        .optional(),
    }),
    async (ctx, { file, upload }) => ({ upload: await writeFilePart(ctx, file, upload) }),
  ),
  'restore claims': command(
    '',
    OfDatabase.extend({ after: z.string().optional() }),
    async (ctx, { database, after }) => ({ next: await rebuildClaims(bound(ctx, database), after) }),
  ),
  'restore finish': command(
    '',
    OfDatabase.extend({ tables: z.array(z.string()), sequences: z.record(z.string(), z.number()) }),
    async (ctx, { database, tables, sequences }) => {
      const home = bound(ctx, database);
      await setSequences(home, sequences);
      return countRows(home, tables);
    },
  ),
};

/** Returns a context in a bound database, because a database may be restored before the service uses it. */
function bound(ctx: Context, name: string): Context {
  const names = databaseNames(ctx.env);
  if (!names.includes(name)) throw invalidField('database', `must be bound in wrangler.toml: ${names.join(', ')}`);
  return inDatabase(ctx, name);
}
