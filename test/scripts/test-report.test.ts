import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeFailure, slowFiles } from '../../scripts/test-report.ts';

test('the summary of a failure has its first lines, without library frames', () => {
  const said = ['Error: expected 1 to be 2', '    at test/a.test.ts:3:1', '    at node_modules/b/c.js:1:1'].join('\n');
  expect(describeFailure('test/a.test.ts: adds', said)).toBe(
    'test/a.test.ts: adds\n    Error: expected 1 to be 2\n        at test/a.test.ts:3:1',
  );
});

test('the summary of a random test shows where its cause is', () => {
  const said = fc.defaultReportMessage(fc.check(fc.property(fc.nat(), () => false)));
  expect(describeFailure('a random test', said)).toContain('above, after "Caused by"');
});

test('names the files that took too long alone', () => {
  const times = [10, 10.1].map((seconds, i) => ({ lane: '', file: `test/${i}.test.ts`, seconds }));
  expect(slowFiles(times)).toEqual([expect.stringContaining('Over 10 s'), '   10.1 s  test/1.test.ts']);
  expect(slowFiles(times.slice(0, 1))).toEqual([]);
});
