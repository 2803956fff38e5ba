import type { FilePart, Upload } from '../../src/domain/backups/file-pages.ts';
import type { RunCommand } from '../admin-worker.ts';
import { type Report, SILENT } from '../cli/progress.ts';
import { Problem } from '../settings.ts';
import {
  type BackupCounts,
  type BackupFacts,
  type CopiedDatabase,
  FILES_PART,
  FIRST,
  OBJECTS_PART,
  partOf,
  type StoredProcess,
  type StoredRows,
} from './make-backup.ts';
import { patient } from './patient.ts';
import { type Part, VaultReader } from './vault.ts';

/**
 * Triggers write these tables on every write to passes, templates and accounts, so they are cleared and restored last.
 */
const KEPT_BY_TRIGGERS = ['image_uses', 'image_checks'];

/** Derived from restored rows, because a backup of a running service reads them at another time. */
const REBUILT = ['unique_property_values'];

/**
 * Restores a backup into an empty service, or one whose data may be replaced, then builds the search index. Verifies
 * every part before it changes anything. Throws a `Problem` if it can't.
 */
export async function restoreBackup(
  run: RunCommand,
  folder: string,
  key: Buffer,
  { replace, report = SILENT }: { replace: boolean; report?: Report },
): Promise<BackupCounts> {
  const vault = new VaultReader<BackupFacts>(folder, key);
  report.step('Verifying the backup');
  const { parts, probe, further = {}, ...first } = await vault.manifest();
  await vault.verify(parts);
  const databases = new Map<string, CopiedDatabase>([[FIRST, first], ...Object.entries(further)]);
  for (const [database, { schema }] of databases) await run('restore check', { database, schema, probe, replace });
  const ask = patient(run);
  report.step('Deleting the service’s data');
  const used = (await ask<{ name: string }[]>('database list')).map(({ name }) => name);
  for (const database of new Set([...used, ...databases.keys()])) {
    await clear(ask, database, (databases.get(database) ?? first).tables);
  }
  while ((await ask<{ more: boolean }>('restore clear')).more);
  report.step('Restoring rows');
  await restoreTables(ask, vault, databases, { parts, report });
  report.step('Restoring files');
  const files = await restoreFiles(ask, vault);
  let rows = 0;
  for (const [database, copied] of databases) rows += await finish(ask, database, copied, report);
  for (const database of databases.keys()) await claimValues(ask, database);
  report.step('Building the search index');
  await reindex(ask);
  report.step('Restoring processes');
  const processes = await restoreProcesses(ask, vault);
  return { rows, processes, files };
}

const inOrder = (tables: string[]) => [
  ...tables.filter((table) => !KEPT_BY_TRIGGERS.includes(table)),
  ...KEPT_BY_TRIGGERS,
];

async function clear(ask: RunCommand, database: string, tables: string[]): Promise<void> {
  for (const table of inOrder(tables)) {
    while ((await ask<{ more: boolean }>('restore clear', { database, table })).more);
  }
}

/**
 * Returns the number of restored rows. Fewer rows than in the backup are no failure: a row that changed during the
 * backup can be in it twice, or have the unique value of another one. Throws a `Problem` if there are more.
 */
async function finish(
  ask: RunCommand,
  database: string,
  { tables, sequences, rows }: CopiedDatabase,
  report: Report,
): Promise<number> {
  const stored = await ask<Record<string, number>>('restore finish', { database, tables, sequences });
  const compared = tables.filter((table) => ![...KEPT_BY_TRIGGERS, ...REBUILT].includes(table));
  const describe = (wrong: string[]) =>
    wrong.map((table) => `${table} (${stored[table]} of ${rows[table]})`).join(', ');
  const more = compared.filter((table) => stored[table]! > rows[table]!);
  if (more.length > 0) {
    throw new Problem(`The database ${database} has more rows than the backup: ${describe(more)}. Try again.`);
  }
  const fewer = compared.filter((table) => stored[table]! < rows[table]!);
  if (fewer.length > 0) {
    report.say(
      `Warning: The database ${database} has fewer rows than the backup: ${describe(fewer)}. Of rows with the same key ` +
        'or unique value, it has the latest one.',
    );
  }
  return tables.reduce((sum, table) => sum + (compared.includes(table) ? stored : rows)[table]!, 0);
}

async function restoreTables(
  ask: RunCommand,
  vault: VaultReader<BackupFacts>,
  databases: ReadonlyMap<string, CopiedDatabase>,
  { parts, report }: { parts: Part[]; report: Report },
): Promise<void> {
  const frames = new Map(parts.map((part) => [part.file, part.frames]));
  const tables = [...databases].flatMap(([database, { tables }]) =>
    inOrder(tables).flatMap((table) => (REBUILT.includes(table) ? [] : { database, table })),
  );
  const framesOf = ({ database, table }: (typeof tables)[number]) => frames.get(partOf(database, table)) ?? 0;
  const total = tables.reduce((sum, one) => sum + framesOf(one), 0);
  let done = 0;
  for (const one of tables) {
    await restoreTable(ask, vault, one.database, one.table);
    done += framesOf(one);
    report.at(done, total, `${one.table} of ${one.database}`);
  }
}

async function restoreTable(
  ask: RunCommand,
  vault: VaultReader<BackupFacts>,
  database: string,
  table: string,
): Promise<void> {
  for await (const page of vault.values(partOf(database, table))) {
    await ask('restore rows', { database, table, ...(page as StoredRows) });
  }
}

async function restoreFiles(ask: RunCommand, vault: VaultReader<BackupFacts>): Promise<number> {
  let files = 0;
  let upload: Upload | null = null;
  for await (const value of vault.values(FILES_PART)) {
    const file = value as FilePart;
    // A file deleted during the backup has no last part.
    if (file.part === 0) upload = null;
    const reply: { upload: Upload | null } = await ask('restore file', { file, ...(upload && { upload }) });
    upload = reply.upload;
    if (file.isLast) files += 1;
  }
  return files;
}

async function claimValues(ask: RunCommand, database: string): Promise<void> {
  for (let after: string | null | undefined; after !== null; ) {
    const { next }: { next: string | null } = await ask('restore claims', { database, after });
    after = next;
  }
}

async function reindex(ask: RunCommand): Promise<void> {
  for (let after: string | null | undefined; after !== null; ) {
    const { next }: { next: string | null } = await ask('search reindex', { after });
    after = next;
  }
}

/** Restored last, because a process resumes work as soon as its object exists. */
async function restoreProcesses(ask: RunCommand, vault: VaultReader<BackupFacts>): Promise<number> {
  let processes = 0;
  for await (const value of vault.values(OBJECTS_PART)) {
    const page = value as StoredProcess;
    await ask('restore process', page);
    if (page.isLast) processes += 1;
  }
  return processes;
}
