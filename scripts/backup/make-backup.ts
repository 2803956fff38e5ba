import type { DatabaseFacts, RowPage } from '../../src/domain/backups/database-pages.ts';
import type { FilePart } from '../../src/domain/backups/file-pages.ts';
import type { ProcessPage } from '../../src/domain/processes/process-dump.ts';
import type { RunCommand } from '../admin-worker.ts';
import { atExit } from '../at-exit.ts';
import { type Report, SILENT } from '../cli/progress.ts';
import { Problem } from '../settings.ts';
import { patient } from './patient.ts';
import { VaultWriter } from './vault.ts';

/** Facts about the rows of a database. */
export interface CopiedDatabase extends Pick<DatabaseFacts, 'schema' | 'sequences' | 'tables'> {
  rows: Record<string, number>;
}

/** What a restore must know before it reads a part. It describes the first database; `further` has the others. */
export interface BackupFacts extends CopiedDatabase {
  /** Can be decrypted only with the service's keys. */
  probe: string;
  /** The other databases by name; absent in backups of a service with one database. */
  further?: Record<string, CopiedDatabase>;
}

/** The first database. Its parts don't have its name. */
export const FIRST = 'DB';

/** A page of a table, as stored in a part. */
export type StoredRows = Pick<RowPage, 'columns' | 'rows'>;
/** A page of a process's object, as stored in a part. */
export type StoredProcess = { id: string; isFirst: boolean; isLast: boolean } & Pick<ProcessPage, 'rows'>;

const DEFINITIONS = 'template_versions';
/** Tables that are copied in a certain order. The order of the others doesn't matter. */
const IN_ORDER = ['processes', DEFINITIONS, 'templates', 'template_deletions', 'passes'];

export const OBJECTS_PART = 'processes.bin';
export const FILES_PART = 'files.bin';
export const partOf = (database: string, table: string) =>
  `${database === FIRST ? '' : `${database}-`}table-${table}.bin`;

/** Counts of what a backup holds. */
export interface BackupCounts {
  rows: number;
  processes: number;
  files: number;
}

/**
 * Copies a service, which may keep running, into an empty folder. What belongs to a pass comes before the passes, each
 * process before its record of applied items, and definitions around their templates: a restore has no dangling
 * references. Deletes a failed backup. Fails if an account moves meanwhile: it would be in both databases, or in none.
 */
export async function makeBackup(
  run: RunCommand,
  folder: string,
  key: Buffer,
  report: Report = SILENT,
): Promise<BackupCounts> {
  const vault = new VaultWriter(folder, key);
  const callOff = atExit(() => vault.discard());
  try {
    return await copyService(patient(run), vault, report);
  } catch (error) {
    vault.discard();
    throw error;
  } finally {
    callOff();
  }
}

async function copyService(ask: RunCommand, vault: VaultWriter, report: Report): Promise<BackupCounts> {
  const names = (await ask<{ name: string }[]>('database list')).map(({ name }) => name);
  const described = await describeAll(ask, names);
  if ([...described.values()].some(({ isMoving }) => isMoving)) {
    throw new Problem('An account is being moved to another database. End its move with "account move", then back up.');
  }
  report.step('Copying tables');
  const partsTotal = [...described.values()].reduce((sum, { tables }) => sum + tables.length, 0);
  let partsDone = 0;
  const copied = (database: string, table: string) => report.at(++partsDone, partsTotal, `${table} of ${database}`);
  const processIds: string[] = [];
  const counts = new Map<string, Record<string, number>>();
  for (const database of names) {
    const processes = await copyTable(
      ask,
      vault,
      { database, table: 'processes' },
      {
        onPage: ({ columns, rows: page }) => processIds.push(...page.map((row) => String(cellOf(columns, row, 'id')))),
      },
    );
    counts.set(database, { processes });
    copied(database, 'processes');
  }
  await copyProcesses(ask, vault, processIds);
  for (const [database, { tables, lastPassKey }] of described) {
    const rows = counts.get(database)!;
    const copyOne = async (table: string, options?: CopyOptions) => {
      rows[table] = await copyTable(ask, vault, { database, table }, options);
      copied(database, table);
    };
    for (const table of tables.filter((one) => !IN_ORDER.includes(one))) await copyOne(table);
    rows[DEFINITIONS] = await copyDefinitions(ask, vault, database, async (onTemplates) => {
      await copyOne('templates', { onPage: onTemplates });
      // After the templates, so that a template is in one of both while it has passes.
      await copyOne('template_deletions');
      await copyOne('passes', { upTo: lastPassKey });
    });
    copied(database, DEFINITIONS);
  }
  await refuseNewMoves(ask, described);
  report.step('Copying files');
  const files = await copyFiles(ask, vault);
  const factsOf = (database: string): CopiedDatabase => {
    const { tables, schema, sequences } = described.get(database)!;
    return { tables, schema, sequences, rows: counts.get(database)! };
  };
  const further = Object.fromEntries(names.filter((name) => name !== FIRST).map((name) => [name, factsOf(name)]));
  const { probe } = described.get(FIRST)!;
  await vault.finish({ ...factsOf(FIRST), probe, further } satisfies BackupFacts);
  const all = [...counts.values()].flatMap((rows) => Object.values(rows)).reduce((sum, count) => sum + count, 0);
  return { rows: all, processes: processIds.length, files };
}

type Described = DatabaseFacts & { probe: string };

async function describeAll(ask: RunCommand, names: string[]): Promise<Map<string, Described>> {
  const described = new Map<string, Described>();
  for (const database of names) described.set(database, await ask('backup describe', { database }));
  return described;
}

/** Fails if a move has begun since the databases were described, even if it has ended. */
async function refuseNewMoves(ask: RunCommand, described: Map<string, Described>): Promise<void> {
  for (const [database, { moves }] of await describeAll(ask, [...described.keys()])) {
    if (moves.every((move) => described.get(database)!.moves.includes(move))) continue;
    throw new Problem('An account was moved to another database during the backup. Start again.');
  }
}

/** A table of a database. */
interface CopiedTable {
  database: string;
  table: string;
}

interface CopyOptions {
  upTo?: number;
  onPage?: (page: StoredRows) => unknown;
}

type AddPage = (page: StoredRows) => Promise<void>;

async function copyTable(
  ask: RunCommand,
  vault: VaultWriter,
  { database, table }: CopiedTable,
  { upTo, onPage }: CopyOptions = {},
): Promise<number> {
  let copied = 0;
  await vault.part(partOf(database, table), async (add) => {
    for (let after: string | null | undefined; after !== null; ) {
      const { columns, rows, next }: RowPage = await ask('backup rows', { database, table, after, upTo });
      if (rows.length > 0) await add({ columns, rows } satisfies StoredRows);
      await onPage?.({ columns, rows });
      copied += rows.length;
      after = next;
    }
  });
  return copied;
}

/**
 * Copies the definitions of templates before `work` copies the templates and passes, because a template can be deleted
 * meanwhile, and those that were added since then with their templates and after the passes. Returns their number.
 */
async function copyDefinitions(
  ask: RunCommand,
  vault: VaultWriter,
  database: string,
  work: (onTemplates: (page: StoredRows) => Promise<void>) => Promise<void>,
): Promise<number> {
  const known = new Set<string>();
  const read = (after?: string) => ask<RowPage>('backup rows', { database, table: DEFINITIONS, after });
  const addNew = async (add: AddPage, { columns, rows }: StoredRows) => {
    const names = rows.map((row) => placeOf(columns, row, ['template_id', 'version']));
    const added = rows.filter((_, i) => !known.has(names[i]!));
    for (const name of names) known.add(name);
    if (added.length > 0) await add({ columns, rows: added });
  };
  const readAll = async (add: AddPage) => {
    for (let after: string | null | undefined; after !== null; ) {
      const page: RowPage = await read(after);
      await addNew(add, page);
      after = page.next;
    }
  };
  await vault.part(partOf(database, DEFINITIONS), async (add) => {
    await readAll(add);
    await work(async ({ columns, rows }) => {
      for (const row of rows) {
        if (known.has(placeOf(columns, row, ['id', 'version']))) continue;
        await addNew(add, await read(JSON.stringify([cellOf(columns, row, 'id'), 0])));
      }
    });
    await readAll(add);
  });
  return known.size;
}

/** Returns a value of a row. A row is the JSON of lists of values. */
function cellOf(columns: string[], row: string, column: string): unknown {
  return (JSON.parse(row) as unknown[][]).flat()[columns.indexOf(column)];
}

function placeOf(columns: string[], row: string, names: string[]): string {
  return JSON.stringify(names.map((name) => cellOf(columns, row, name)));
}

async function copyProcesses(ask: RunCommand, vault: VaultWriter, ids: string[]): Promise<void> {
  await vault.part(OBJECTS_PART, async (add) => {
    for (const id of ids) {
      let place: string | null = null;
      do {
        const page: ProcessPage = await ask('backup process', { id, place });
        const [isFirst, isLast] = [place === null, page.next === null];
        await add({ id, rows: page.rows, isFirst, isLast } satisfies StoredProcess);
        place = page.next;
      } while (place !== null);
    }
  });
}

async function copyFiles(ask: RunCommand, vault: VaultWriter): Promise<number> {
  let files = 0;
  await vault.part(FILES_PART, async (add) => {
    let cursor: string | undefined;
    do {
      const { names, next }: { names: string[]; next: string | null } = await ask('backup files', { cursor });
      for (const name of names) if (await copyFile(ask, name, add)) files += 1;
      cursor = next ?? undefined;
    } while (cursor !== undefined);
  });
  return files;
}

/** Copies a file. Returns false if it was deleted meanwhile. A stored file never changes under its name. */
async function copyFile(ask: RunCommand, name: string, add: (part: FilePart) => Promise<void>): Promise<boolean> {
  for (let part = 0; ; part++) {
    const piece: FilePart | null = await ask('backup file', { name, part });
    if (!piece) return false;
    await add(piece);
    if (piece.isLast) return true;
  }
}
