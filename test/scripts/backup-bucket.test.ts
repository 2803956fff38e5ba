import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  downloadBackup,
  type ObjectStore,
  readBucketPlace,
  uploadBackup,
  wranglerStore,
} from '../../scripts/backup/bucket.ts';

const newFolder = () => mkdtempSync(join(tmpdir(), 'backup-bucket-'));

/** A store in a folder. */
function folderStore(folder = newFolder()): ObjectStore & { folder: string } {
  return {
    folder,
    async put(key, path) {
      mkdirSync(dirname(join(folder, key)), { recursive: true });
      copyFileSync(path, join(folder, key));
    },
    async get(key, path) {
      if (!existsSync(join(folder, key))) return false;
      copyFileSync(join(folder, key), path);
      return true;
    },
  };
}

function backupWith(files: Record<string, string>): string {
  const folder = newFolder();
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  return folder;
}

const contentsOf = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));

const FILES = { 'backup.json': '{}', 'table-passes.bin': 'x'.repeat(25), 'manifest.bin': 'last', 'empty.bin': '' };

test('a backup comes back from a bucket byte for byte, in pieces if a file is large', async () => {
  const store = folderStore();
  await uploadBackup(backupWith(FILES), 'shop/monday', store, { pieceBytes: 10 });
  const objects = readdirSync(join(store.folder, 'shop/monday'));
  expect(objects.filter((key) => key.startsWith('table-passes'))).toHaveLength(3);
  expect(Math.max(...objects.map((key) => statSync(join(store.folder, 'shop/monday', key)).size))).toBeLessThan(100);
  const target = newFolder();
  await downloadBackup('shop/monday', target, store);
  expect(contentsOf(target)).toEqual(FILES);
});

test('an unfinished upload is no backup, and can be repeated', async () => {
  const store = folderStore();
  const broken: ObjectStore = {
    ...store,
    put: (key, path) => (key.includes('manifest') ? Promise.reject(new Error('network lost')) : store.put(key, path)),
  };
  const folder = backupWith(FILES);
  await expect(uploadBackup(folder, 'monday', broken)).rejects.toThrow('network lost');
  await expect(downloadBackup('monday', newFolder(), store)).rejects.toThrow('no finished backup below monday');
  await uploadBackup(folder, 'monday', store);
  await downloadBackup('monday', newFolder(), store);
});

test('a backup in a bucket is never replaced', async () => {
  const store = folderStore();
  await uploadBackup(backupWith(FILES), 'monday', store);
  await expect(uploadBackup(backupWith({ 'backup.json': 'other' }), 'monday', store)).rejects.toThrow(
    'The bucket already has a backup below monday: choose another prefix.',
  );
  const target = newFolder();
  await downloadBackup('monday', target, store);
  expect(contentsOf(target)).toEqual(FILES);
});

test('a list with a path leads to no file outside the folder', async () => {
  const store = folderStore();
  mkdirSync(join(store.folder, 'monday'));
  writeFileSync(join(store.folder, 'monday/files.json'), JSON.stringify({ '../x': 1 }));
  await expect(downloadBackup('monday', newFolder(), store)).rejects.toThrow('names a file that no backup has');
});

test.each(['', 'bucket', 'bucket/', '/x', 'Bucket/x', 'bucket/../x', 'b/x', 'bucket//x'])(
  'the place %j is rejected with an example',
  (text) => {
    expect(() => readBucketPlace(text)).toThrow('--bucket must look like my-backups/2026-12-24');
  },
);

test('a place is a bucket and a prefix', () => {
  expect(readBucketPlace('my-backups/shop/2026-12-24')).toEqual({ bucket: 'my-backups', prefix: 'shop/2026-12-24' });
});

test('wrangler stores and returns objects, and knows which are missing', async () => {
  const store = wranglerStore('my-backups', ['--local', '--persist-to', newFolder()]);
  const [source, target] = [join(newFolder(), 'a'), join(newFolder(), 'b')];
  writeFileSync(source, 'content');
  expect(await store.get('monday/files.json', target)).toBe(false);
  await store.put('monday/files.json', source);
  expect(await store.get('monday/files.json', target)).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('content');
});
