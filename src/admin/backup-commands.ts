import * as z from 'zod';
import { countRows, describeDatabase, insertRows, readRows, setSequences } from '../domain/backups/database-pages.ts';
import { listFiles, readFilePart, writeFilePart } from '../domain/backups/file-pages.ts';
import { checkTarget, clearPage, sealProbe } from '../domain/backups/restore-service.ts';
import { readProcess, writeProcess } from '../domain/processes/copy-process.ts';
import { type AdminCommand, command } from './command.ts';

/*
 * What `npm run backup` and `npm run restore` ask for, page by page. They are of no use by themselves, so they have no
 * usage, and the list of commands leaves them out.
 */

const Whole = z.number().int().min(0);
const Process = z.object({ id: z.uuid() });

export const BACKUP_COMMANDS: Record<string, AdminCommand> = {
  'backup describe': command('', z.object({}), async (ctx) => ({
    ...(await describeDatabase(ctx)),
    probe: await sealProbe(ctx),
  })),
  'backup rows': command(
    '',
    z.object({ table: z.string(), after: z.string().optional(), upTo: Whole.optional() }),
    readRows,
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
    z.object({ schema: z.string(), probe: z.string(), replace: z.boolean() }),
    async (ctx, backup) => {
      await checkTarget(ctx, backup);
      return { possible: true };
    },
  ),
  'restore clear': command('', z.object({ table: z.string().optional() }), async (ctx, { table }) => ({
    more: await clearPage(ctx, table),
  })),
  'restore rows': command(
    '',
    z.object({ table: z.string(), columns: z.array(z.string()), rows: z.array(z.string()) }),
    async (ctx, page) => {
      await insertRows(ctx, page);
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
  'restore finish': command(
    '',
    z.object({ tables: z.array(z.string()), sequences: z.record(z.string(), z.number()) }),
    async (ctx, { tables, sequences }) => {
      await setSequences(ctx, sequences);
      return countRows(ctx, tables);
    },
  ),
};
