import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Context } from '../../../src/domain/context.ts';
import { appendFactsSoon, type PassFact } from '../../../src/domain/pass-facts/append-facts.ts';
import { noteDownload, recordAskedDevices } from '../../../src/domain/pass-facts/asked-devices.ts';

vi.mock('../../../src/domain/pass-facts/append-facts.ts', () => ({ appendFactsSoon: vi.fn() }));

beforeEach(() => {
  vi.useFakeTimers();
  vi.mocked(appendFactsSoon).mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

// Nothing else of the context is used here.
const ctx = { waitUntil: () => {} } as unknown as Context;
const factOf = (passId: string, fact: string): PassFact => ({ passId, fact });
const appended = () => vi.mocked(appendFactsSoon).mock.calls.map(([, , facts]) => facts);

test('a device’s request is written once: with its download, or alone if none follows', async () => {
  const [answered, unanswered] = [factOf('answered', 'asked'), factOf('unanswered', 'asked')];
  const download = factOf('answered', 'downloaded');
  recordAskedDevices(ctx, 'account', [answered, unanswered]);
  noteDownload(ctx, 'account', download);
  await vi.runAllTimersAsync();
  expect(appended()).toEqual([[answered, download], [unanswered]]);
});
