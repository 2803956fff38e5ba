import type { FilePart, Upload } from '../../src/domain/backups/file-pages.ts';
import type { RunCommand } from '../admin-worker.ts';
import { Problem } from '../settings.ts';
import {
  type BackupCounts,
  type BackupFacts,
  FILES_PART,
  OBJECTS_PART,
  partOf,
  type StoredProcess,
  type StoredRows,
} from './make-backup.ts';
import { patient } from './patient.ts';
import { VaultReader } from './vault.ts';

/** Triggers write these whenever passes, templates and accounts are written, so they come and go last. */
const KEPT_BY_TRIGGERS = ['image_uses', 'image_checks'];

/**
 * Puts a backup into a service that has no data, or whose data may be replaced, then builds the search index. Nothing
 * is touched before every part has been verified. Throws a `Problem`.
 */
export async function restoreBackup(
  run: RunCommand,
  folder: string,
  key: Buffer,
  { replace }: { replace: boolean },
): Promise<BackupCounts> {
  const vault = new VaultReader<BackupFacts>(folder, key);
  const { parts, tables, schema, probe, sequences, rows } = await vault.manifest();
  await vault.verify(parts);
  await run('restore check', { schema, probe, replace });
  const ask = patient(run);
  const ordered = [...tables.filter((table) => !KEPT_BY_TRIGGERS.includes(table)), ...KEPT_BY_TRIGGERS];
  await clear(ask, ordered);
  for (const table of ordered) await restoreTable(ask, vault, table);
  const files = await restoreFiles(ask, vault);
  const stored = await ask<Record<string, number>>('restore finish', { tables, sequences });
  const wrong = tables.filter((table) => !KEPT_BY_TRIGGERS.includes(table) && stored[table] !== rows[table]);
  if (wrong.length > 0) {
    const counts = wrong.map((table) => `${table} (${stored[table]} of ${rows[table]})`);
    throw new Problem(`The database has other numbers of rows than the backup: ${counts.join(', ')}. Try again.`);
  }
  await reindex(ask);
  const processes = await restoreProcesses(ask, vault);
  return { rows: Object.values(rows).reduce((sum, count) => sum + count, 0), processes, files };
}

async function clear(ask: RunCommand, tables: string[]): Promise<void> {
  for (const table of [...tables, undefined]) {
    while ((await ask<{ more: boolean }>('restore clear', { table })).more);
  }
}

async function restoreTable(ask: RunCommand, vault: VaultReader<BackupFacts>, table: string): Promise<void> {
  for await (const page of vault.values(partOf(table))) {
    await ask('restore rows', { table, ...(page as StoredRows) });
  }
}

async function restoreFiles(ask: RunCommand, vault: VaultReader<BackupFacts>): Promise<number> {
  let files = 0;
  let upload: Upload | null = null;
  for await (const value of vault.values(FILES_PART)) {
    const file = value as FilePart;
    // A file that was deleted while it was copied has no last part.
    if (file.part === 0) upload = null;
    const reply: { upload: Upload | null } = await ask('restore file', { file, ...(upload && { upload }) });
    upload = reply.upload;
    if (file.isLast) files += 1;
  }
  return files;
}

async function reindex(ask: RunCommand): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const { next }: { next: number | null } = await ask('search reindex', { after });
    after = next;
  }
}

/** Last, because a process goes on working as soon as its object is there. */
async function restoreProcesses(ask: RunCommand, vault: VaultReader<BackupFacts>): Promise<number> {
  let processes = 0;
  for await (const value of vault.values(OBJECTS_PART)) {
    const page = value as StoredProcess;
    await ask('restore process', page);
    if (page.isLast) processes += 1;
  }
  return processes;
}
