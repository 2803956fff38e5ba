import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapeOf } from './statement-shape.ts';

/** Folder into which each process of a run writes what it has seen prepared; without it nothing is recorded. */
export const STATEMENTS_DIR = 'STATEMENTS_DIR';

const recorded = new Set<string>();

/** Notes that the product has prepared a statement, for `judge-statements.ts`, which looks at all of a run when it is over. */
export function recordStatement(sql: string): void {
  const folder = process.env[STATEMENTS_DIR];
  if (!folder) return;
  const shape = shapeOf(sql);
  if (recorded.has(shape)) return;
  recorded.add(shape);
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(shape)}\n`);
}

/** Every statement that the processes of a run have recorded, each once. */
export function recordedStatements(folder: string): string[] {
  const shapes = readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): string => JSON.parse(line)),
  );
  return [...new Set(shapes)].sort();
}
