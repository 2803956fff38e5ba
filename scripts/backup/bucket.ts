import { createReadStream, createWriteStream, readdirSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { temporaryFolder } from '../at-exit.ts';
import { runWrangler } from '../run-wrangler.ts';
import { Problem, UsageProblem } from '../settings.ts';

/*
 * A backup in an R2 bucket: the files of its folder, in pieces, below a prefix. The list of files is stored last, so a
 * prefix without it has no finished backup.
 */

/** Wrangler uploads objects of at most 300 MiB (Cloudflare, R2 limits). */
const PIECE_BYTES = 250 * 1024 * 1024;
const LIST = 'files.json';
/** Of wrangler's message about an object that doesn't exist. */
const MISSING = /key does not exist|NoSuchKey|not found/i;

/** Files of a backup with their number of pieces. */
type FileList = Record<string, number>;

/** Stores files as objects. */
export interface ObjectStore {
  put(key: string, path: string): Promise<void>;
  /** Writes an object to a file. Returns false if there is no such object. */
  get(key: string, path: string): Promise<boolean>;
}

/** Place of a backup: a bucket, and the prefix of its keys. */
export interface BucketPlace {
  bucket: string;
  prefix: string;
}

/** Reads `NAME/PREFIX`. Throws a `UsageProblem` for anything else. */
export function readBucketPlace(text: string): BucketPlace {
  const [, bucket, prefix] = /^([a-z0-9][a-z0-9-]{1,61}[a-z0-9])\/(\w[\w.-]*(?:\/\w[\w.-]*)*)$/.exec(text) ?? [];
  if (bucket && prefix) return { bucket, prefix };
  throw new UsageProblem('--bucket must look like my-backups/2026-12-24: a bucket, and a prefix for this backup.');
}

/** Returns the objects of a bucket. `where` are wrangler's options for the place of its storage. */
export function wranglerStore(bucket: string, where: string[] = ['--remote']): ObjectStore {
  const run = (verb: 'put' | 'get', key: string, path: string) =>
    runWrangler(
      ['r2', 'object', verb, `${bucket}/${key}`, '--file', path, ...where, ...(verb === 'put' ? ['--force'] : [])],
      `The object ${key} of the bucket ${bucket} could not be ${verb === 'put' ? 'stored' : 'read'}.`,
    );
  return {
    put: async (key, path) => void (await run('put', key, path)),
    async get(key, path) {
      try {
        await run('get', key, path);
        return true;
      } catch (error) {
        if (error instanceof Problem && MISSING.test(error.message)) return false;
        throw error;
      }
    },
  };
}

/** Stores the files of a finished backup below a prefix. Throws a `Problem` if a backup is there. */
export async function uploadBackup(
  folder: string,
  prefix: string,
  store: ObjectStore,
  { pieceBytes = PIECE_BYTES, onFile = (_done: number, _total: number, _file: string) => {} } = {},
): Promise<void> {
  const scratch = temporaryFolder('pass-wallet-backup-');
  try {
    await requireFree(prefix, store, scratch.path);
    const list: FileList = {};
    const files = readdirSync(folder).sort();
    for (const [i, file] of files.entries()) {
      list[file] = await uploadFile(join(folder, file), `${prefix}/${file}`, store, {
        pieceBytes,
        scratch: scratch.path,
      });
      onFile(i + 1, files.length, file);
    }
    const path = join(scratch.path, LIST);
    writeFileSync(path, JSON.stringify(list));
    await store.put(`${prefix}/${LIST}`, path);
  } finally {
    scratch.remove();
  }
}

/** Throws a `Problem` if there is a backup below the prefix: it must not be replaced by a part of another one. */
export async function requireFree(prefix: string, store: ObjectStore, scratch: string): Promise<void> {
  if (!(await store.get(`${prefix}/${LIST}`, join(scratch, 'present.json')))) return;
  throw new Problem(`The bucket already has a backup below ${prefix}: choose another prefix.`);
}

/** Stores a file in pieces, and returns their number. */
async function uploadFile(
  path: string,
  key: string,
  store: ObjectStore,
  { pieceBytes, scratch }: { pieceBytes: number; scratch: string },
): Promise<number> {
  const pieces = Math.max(1, Math.ceil(statSync(path).size / pieceBytes));
  if (pieces === 1) {
    await store.put(pieceKey(key, 0), path);
    return pieces;
  }
  const piece = join(scratch, 'piece');
  for (let i = 0; i < pieces; i++) {
    const source = createReadStream(path, { start: i * pieceBytes, end: (i + 1) * pieceBytes - 1 });
    await pipeline(source, createWriteStream(piece));
    await store.put(pieceKey(key, i), piece);
  }
  return pieces;
}

/** Writes the files of a backup into an empty folder. Throws a `Problem` if there is no finished backup. */
export async function downloadBackup(prefix: string, folder: string, store: ObjectStore): Promise<void> {
  const scratch = temporaryFolder('pass-wallet-restore-');
  const get = async (key: string, path: string) => {
    if (!(await store.get(key, path)))
      throw new Problem(`The bucket has no finished backup below ${prefix}: ${key} is missing.`);
  };
  try {
    const path = join(scratch.path, LIST);
    await get(`${prefix}/${LIST}`, path);
    const list = JSON.parse(await readFile(path, 'utf8')) as FileList;
    const piece = join(scratch.path, 'piece');
    for (const [file, pieces] of Object.entries(list)) {
      if (!/^[\w.-]+$/.test(file)) throw new Problem(`${prefix}/${LIST} names a file that no backup has: ${file}`);
      for (let i = 0; i < pieces; i++) {
        await get(pieceKey(`${prefix}/${file}`, i), piece);
        await pipeline(
          createReadStream(piece),
          createWriteStream(join(folder, file), { flags: i === 0 ? 'w' : 'a', mode: 0o600 }),
        );
      }
    }
  } finally {
    scratch.remove();
  }
}

const pieceKey = (key: string, piece: number) => `${key}.${String(piece).padStart(4, '0')}`;
