import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { shapeOf } from './statement-shape.ts';

/**
 * Folder into which each process of a run records statements; without it nothing is recorded. `scripts/test.ts` sets
 * it.
 */
export const STATEMENTS_DIR = 'STATEMENTS_DIR';
const ENDING = '.statements.jsonl';

const recorded = new Set<string>();

/**
 * Records a statement that the product has prepared, for `judge-statements.ts`, which reads all of a run when it is
 * over.
 */
export function recordStatement(sql: string): void {
  const folder = process.env[STATEMENTS_DIR];
  if (!folder) return;
  const shape = shapeOf(sql);
  if (recorded.has(shape)) return;
  recorded.add(shape);
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${process.pid}${ENDING}`), `${JSON.stringify(shape)}\n`);
}

/** Records what `recorded-worker.ts` says of its statements in a log. */
export function recordLine(line: string): void {
  if (!line.startsWith('{"statement":')) return;
  recordStatement((JSON.parse(line) as { statement: string }).statement);
}

/** Removes what an earlier run has recorded: its statements may be none of the product's any more. */
export function clearRecordings(folder: string): void {
  for (const file of filesOf(folder)) rmSync(file);
}

/** Every statement in the folders, each once. */
export function recordedStatements(folders: string[]): string[] {
  const shapes = folders.flatMap(filesOf).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): string => JSON.parse(line)),
  );
  return [...new Set(shapes)].sort();
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => join(folder, name));
}
