import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type LargeChange, ROWS_MAX } from './large-changes.ts';
import { shapeOf } from './statement-shape.ts';

/**
 * Folder in which each process of a run records statements; without it, nothing is recorded. `scripts/test.ts` sets it.
 */
export const STATEMENTS_DIR = 'STATEMENTS_DIR';
const ENDING = '.statements.jsonl';
const LARGE_ENDING = '.large-changes.jsonl';

/** Statements as prepared, and their shapes. */
const recorded = new Set<string>();

/**
 * Records a statement prepared by the product, for `judge-statements.ts`, which reads those of the whole run at the
 * end.
 */
export function recordStatement(sql: string): void {
  const folder = process.env[STATEMENTS_DIR];
  if (!folder || recorded.has(sql)) return;
  const shape = shapeOf(sql);
  const isKnown = recorded.has(shape);
  recorded.add(sql).add(shape);
  if (isKnown) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${process.pid}${ENDING}`), `${JSON.stringify(shape)}\n`);
}

/** Records a statement that changed more rows than allowed, once per text. */
export function recordChange(sql: string, rows: number): void {
  const folder = process.env[STATEMENTS_DIR];
  if (!folder || rows <= ROWS_MAX) return;
  const change: LargeChange = { statement: shapeOf(sql), rows };
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${process.pid}${LARGE_ENDING}`), `${JSON.stringify(change)}\n`);
}

/** Records what `recorded-worker.ts` logged about its statements. */
export function recordLine(line: string): void {
  if (!line.startsWith('{"statement":')) return;
  const { statement, rows } = JSON.parse(line) as { statement: string; rows?: number };
  if (rows === undefined) recordStatement(statement);
  else recordChange(statement, rows);
}

/** Removes the recordings of an earlier run, whose statements may be outdated. */
export function clearRecordings(folder: string): void {
  for (const file of [...filesOf(folder), ...filesOf(folder, LARGE_ENDING)]) rmSync(file);
}

/** Returns every statement in the folders once. */
export function recordedStatements(folders: string[]): string[] {
  return [...new Set(linesOf<string>(folders, ENDING))].sort();
}

/** Returns every statement in the folders that changed too many rows, with its maximum. */
export function recordedChanges(folders: string[]): LargeChange[] {
  const byStatement = Map.groupBy(linesOf<LargeChange>(folders, LARGE_ENDING), ({ statement }) => statement);
  return [...byStatement].map(([statement, changes]) => ({
    statement,
    rows: Math.max(...changes.map(({ rows }) => rows)),
  }));
}

function linesOf<T>(folders: string[], ending: string): T[] {
  return folders
    .flatMap((folder) => filesOf(folder, ending))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): T => JSON.parse(line)),
    );
}

function filesOf(folder: string, ending = ENDING): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}
