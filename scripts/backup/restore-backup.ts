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
  for (const [database, copied] of databases) await finish(ask, database, copied);
  report.step('Building the search index');
  await reindex(ask);
  report.step('Restoring processes');
  const processes = await restoreProcesses(ask, vault);
  const counts = [...databases.values()].flatMap(({ rows }) => Object.values(rows));
  return { rows: counts.reduce((sum, count) => sum + count, 0), processes, files };
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

async function finish(ask: RunCommand, database: string, { tables, sequences, rows }: CopiedDatabase): Promise<void> {
  const stored = await ask<Record<string, number>>('restore finish', { database, tables, sequences });
  const wrong = tables.filter((table) => !KEPT_BY_TRIGGERS.includes(table) && stored[table] !== rows[table]);
  if (wrong.length === 0) return;
  const counts = wrong.map((table) => `${table} (${stored[table]} of ${rows[table]})`);
  throw new Problem(
    `The database ${database} has different row counts than the backup: ${counts.join(', ')}. Try again.`,
  );
}

async function restoreTables(
  ask: RunCommand,
  vault: VaultReader<BackupFacts>,
  databases: ReadonlyMap<string, CopiedDatabase>,
  { parts, report }: { parts: Part[]; report: Report },
): Promise<void> {
  const frames = new Map(parts.map((part) => [part.file, part.frames]));
  const tables = [...databases].flatMap(([database, { tables }]) =>
    inOrder(tables).map((table) => ({ database, table })),
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
