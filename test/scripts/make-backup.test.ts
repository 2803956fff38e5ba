import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunCommand } from '../../scripts/admin-worker.ts';
import { makeBackup } from '../../scripts/backup/make-backup.ts';

const TABLES = ['accounts', 'passes', 'processes', 'template_deletions', 'template_versions', 'templates'];

/** Backs up a service with these rows. Returns the counts, and the tables in the order of their reads. */
async function backUp(rowsOf: (table: string, after?: string) => { columns: string[]; rows: string[] }) {
  const read: string[] = [];
  const facts = { tables: TABLES, schema: '', lastPassKey: 1, sequences: {}, hasData: true, probe: '', moves: [] };
  const replies: Record<string, (options: { table: string; after?: string }) => unknown> = {
    'database list': () => [{ name: 'DB' }],
    'backup describe': () => facts,
    'backup files': () => ({ names: [], next: null }),
    'backup rows': ({ table, after }) => {
      read.push(table);
      return { ...rowsOf(table, after), next: null };
    },
  };
  const run = (async (command, options) => replies[command]!(options as { table: string })) as RunCommand;
  const folder = mkdtempSync(join(tmpdir(), 'make-backup-'));
  const counts = await makeBackup(run, folder, randomBytes(32));
  rmSync(folder, { recursive: true });
  return { counts, read };
}

test('a backup has a template or its deletion as long as it has passes: it reads deletions between both', async () => {
  const { read } = await backUp(() => ({ columns: [], rows: [] }));
  expect(read.filter((table) => table !== 'processes' && table !== 'accounts')).toEqual([
    'template_versions',
    'templates',
    'template_deletions',
    'passes',
    'template_versions',
  ]);
});

test('a backup has each definition once, also of a template that is added and deleted while it runs', async () => {
  const definitions = (...rows: unknown[][]) => ({
    columns: ['template_id', 'version'],
    rows: rows.map((row) => JSON.stringify([row])),
  });
  let reads = 0;
  const { counts } = await backUp((table, after) => {
    if (table === 'templates') return { columns: ['version', 'id'], rows: ['[[1,"a"]]', '[[7,"b"]]'] };
    if (table !== 'template_versions') return { columns: [], rows: [] };
    if (after !== undefined) return definitions(...(after === '["b",0]' ? [['b', 7]] : []));
    return reads++ === 0 ? definitions(['a', 1]) : definitions(['a', 1], ['a', 2]);
  });
  // Two templates and three definitions.
  expect(counts.rows).toBe(5);
});
