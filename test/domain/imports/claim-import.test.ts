import { expect, test, vi } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { claimImport, type StoredImport } from '../../../src/domain/imports/stored-import.ts';

const FILE: StoredImport = {
  id: 'file',
  templateId: 'template',
  fileName: 'guests.csv',
  bytes: new ArrayBuffer(8),
  etag: 'as read',
};

/** A context with a store that can't delete. */
function contextWith(etag: string): AccountContext {
  const FILES = {
    put: async (_key: string, _body: unknown, { onlyIf }: { onlyIf?: { etagMatches: string } }) =>
      !onlyIf || onlyIf.etagMatches === etag ? {} : null,
    delete: () => Promise.reject(new Error('the bucket is out of reach')),
  };
  // A claim uses only the bucket and the account.
  return { env: { FILES }, account: { id: 'account' }, requestId: 'request' } as unknown as AccountContext;
}

test('an import starts even if its file cannot be deleted', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  expect(await claimImport(contextWith(FILE.etag), FILE, async () => 'process')).toBe('process');
  expect(logged).toHaveBeenCalledOnce();
});

test('a file claimed meanwhile is not imported again', async () => {
  const work = vi.fn();
  await expect(claimImport(contextWith('empty'), FILE, work)).rejects.toMatchObject({ kind: 'conflict' });
  expect(work).not.toHaveBeenCalled();
});
