import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { PAGE_ROWS } from '../src/domain/purge.ts';
import { d1Over } from './support/d1-over.ts';
import { largeFaults, ROWS_MAX } from './support/large-changes.ts';
import { recordedChanges, recordLine, STATEMENTS_DIR } from './support/statement-record.ts';

/* Checks what `npm test` records about statements that change many rows, so that a blind check is noticed. */

const folder = mkdtempSync(join(tmpdir(), 'large-changes-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a statement may change at most a page', () => {
  expect(PAGE_ROWS).toBe(ROWS_MAX);
});

test('records the product’s statements that change more, but not those of tests', async () => {
  vi.stubEnv(STATEMENTS_DIR, folder);
  try {
    const changes = (rows: number) => ({ success: true, results: [], meta: { changes: rows } }) as unknown as D1Result;
    const d1 = d1Over(async (statements) => statements.map(({ params }) => changes(params[0] as number)));
    const session = d1.withSession('first-primary');
    await session.prepare('update "passes" set a = ?').bind(1_000).run();
    await session.prepare('update "passes" set b = ?').bind(1_001).run();
    await session.batch([1_500, 4_000].map((rows) => session.prepare('delete from "passes" where x = ?').bind(rows)));
    await d1.prepare('delete from "events" where x = ?').bind(5_000).run();
    recordLine(JSON.stringify({ statement: 'delete from messages', rows: 1_002 }));
  } finally {
    vi.unstubAllEnvs();
  }
  const found = recordedChanges([folder]);
  expect(found.map(({ rows }) => rows)).toEqual([1_001, 4_000, 1_002]);
  expect(largeFaults(found, []).join('\n')).toContain('changes 4000 rows');
  expect(largeFaults(found, [{ statement: /^(update passes|delete from)/, reason: 'all of them' }])).toEqual([]);
});
