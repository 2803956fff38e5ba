import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openWorkerLog } from '../../scripts/worker-log.ts';

const LINES: [line: string, isError: boolean][] = [
  ['⎔ Starting local server...', false],
  ['{"level":"info","event":"request"}', false],
  ['{"level":"error","event":"error"}', true],
  ['✘ [ERROR] Build failed with 1 error:', true],
  ['    src/index.ts:1:2: unexpected token', true],
  [
    '✘ [ERROR] e = rust/worker/ffi.rs:110: failed: failed to lookup address information: Name or service not known',
    true,
  ],
  ['{"level":"info","event":"webhooks"}', false],
  ['stack: workerd@26b6840 workerd@3739630; sentryErrorContext = jsgInternalError', true],
  ['stack: of another error', true],
];
const ALL = LINES.map(([line]) => line);

function written(verbose: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'worker-log-'));
  const file = join(folder, 'worker.log');
  // Left by an earlier version with a different mode.
  writeFileSync(file, 'old', { mode: 0o644 });
  const show = vi.fn<(line: string) => void>();
  const write = openWorkerLog(file, verbose, show);
  for (const [line, isError] of LINES) write(line, isError);
  const kept = readFileSync(file, 'utf8');
  const mode = statSync(file).mode & 0o777;
  rmSync(folder, { recursive: true });
  return { shown: show.mock.calls.map(([line]) => line), kept, mode };
}

test('shows errors, except unknown host names, and records everything', () => {
  const { shown, kept } = written(false);
  expect(shown).toEqual(ALL.slice(2, 5));
  expect(kept).toBe(`${ALL.join('\n')}\n`);
});

test('is readable by its owner only, because addresses of pages are secrets', () => {
  expect(written(false).mode).toBe(0o600);
});

test('shows everything on request', () => {
  expect(written(true).shown).toEqual(ALL);
});
