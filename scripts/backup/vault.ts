import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readJson, writePrivateJson } from '../files.ts';
import { Problem } from '../settings.ts';

/*
 * An encrypted backup in a folder, described by `backup.json`. Each part consists of frames: length (4 bytes), nonce
 * (12) and AES-256-GCM of compressed JSON with its tag. A frame is bound to backup, part and position. The manifest is
 * written last, so a folder without it is incomplete.
 */

const FORMAT = 1;
const KEY_BYTES = 32;
const [NONCE_BYTES, TAG_BYTES, LENGTH_BYTES] = [12, 16, 4];
const HEADER = 'backup.json';
const MANIFEST = 'manifest.bin';

/** A file of the backup. */
export interface Part {
  file: string;
  frames: number;
  sha256: string;
}

interface Header {
  format: number;
  id: string;
  startedOn: string;
}

/** Reads the operator's key from `BACKUP_KEY`. Throws a `Problem` if it is missing or malformed. */
export function readBackupKey({ BACKUP_KEY = '' }: NodeJS.ProcessEnv): Buffer {
  const key = Buffer.from(BACKUP_KEY, 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new Problem(
    'Set BACKUP_KEY to 32 bytes in base64; "openssl rand -base64 32" makes a key. Keep it: without it, the backup can’t be read.',
  );
}

/** Writes a backup into an empty folder. */
export class VaultWriter {
  #folder: string;
  #key: Buffer;
  #id = randomUUID();
  #parts: Part[] = [];
  /** Names of the files begun so far. */
  #files = [HEADER];
  /** Whether this backup created the folder; parent folders stay. */
  #isNew: boolean;

  /** Throws a `Problem` unless the folder is empty or new. */
  constructor(folder: string, key: Buffer) {
    this.#isNew = !existsSync(folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (readdirSync(folder).length > 0) {
      const isUnfinished = existsSync(join(folder, HEADER)) && !existsSync(join(folder, MANIFEST));
      throw new Problem(
        isUnfinished
          ? `${folder} has an unfinished backup: delete the folder, and try again.`
          : `${folder} is not empty: name a new folder.`,
      );
    }
    this.#folder = folder;
    this.#key = key;
    const header: Header = { format: FORMAT, id: this.#id, startedOn: new Date().toISOString() };
    writePrivateJson(join(folder, HEADER), header);
  }

  /** Writes a part from the values that `work` adds. */
  async part(file: string, work: (add: (value: unknown) => Promise<void>) => Promise<void>): Promise<void> {
    this.#files.push(file);
    const handle = await open(join(this.#folder, file), 'wx', 0o600);
    const hash = createHash('sha256');
    let frames = 0;
    try {
      await work(async (value) => {
        const frame = this.#seal(file, frames, value);
        frames += 1;
        hash.update(frame);
        await handle.write(frame);
      });
      await handle.sync();
    } finally {
      await handle.close();
    }
    this.#parts.push({ file, frames, sha256: hash.digest('hex') });
  }

  /** Finishes the backup. `facts` is what a restore needs before the first part. */
  async finish(facts: object): Promise<void> {
    const parts = [...this.#parts];
    await this.part(MANIFEST, (add) => add({ ...facts, parts }));
  }

  /** Removes the files written, and the folder if this backup created it. */
  discard(): void {
    for (const file of this.#files) rmSync(join(this.#folder, file), { force: true });
    if (this.#isNew && readdirSync(this.#folder).length === 0) rmdirSync(this.#folder);
  }

  #seal(file: string, index: number, value: unknown): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(placeOf(this.#id, file, index));
    const body = Buffer.concat([cipher.update(gzipSync(JSON.stringify(value))), cipher.final(), cipher.getAuthTag()]);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(body.length);
    return Buffer.concat([length, nonce, body]);
  }
}

/** Reads a finished backup. */
export class VaultReader<Facts extends object> {
  #folder: string;
  #key: Buffer;
  #id: string;

  /** Throws a `Problem` if the folder has no backup or an unfinished one. */
  constructor(folder: string, key: Buffer) {
    const header = readJson<Header>(join(folder, HEADER));
    if (!header) throw new Problem(`${folder} has no backup.`);
    if (header.format !== FORMAT)
      throw new Problem(`${folder} has a backup of format ${header.format}, not ${FORMAT}.`);
    if (!existsSync(join(folder, MANIFEST))) {
      throw new Problem(`${folder} has an unfinished backup: it can’t be restored. Make a new one.`);
    }
    this.#folder = folder;
    this.#key = key;
    this.#id = header.id;
  }

  /** Returns what `finish` was given, with the parts. Throws a `Problem` if the key is wrong. */
  async manifest(): Promise<Facts & { parts: Part[] }> {
    for await (const value of this.values(MANIFEST)) return value as Facts & { parts: Part[] };
    throw new Problem(`${MANIFEST} is empty: the backup can’t be restored.`);
  }

  /** Checks that every part is complete and unchanged. Throws a `Problem` otherwise. */
  async verify(parts: Part[]): Promise<void> {
    for (const { file, sha256 } of parts) {
      const path = join(this.#folder, file);
      if (!existsSync(path)) throw new Problem(`${path} is missing: the backup can’t be restored.`);
      const hash = createHash('sha256');
      for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
      if (hash.digest('hex') !== sha256) throw new Problem(`${path} is damaged: the backup can’t be restored.`);
    }
  }

  /** Yields the values of a part. */
  async *values(file: string): AsyncGenerator<unknown> {
    const handle = await open(join(this.#folder, file), 'r');
    try {
      for (let index = 0; ; index++) {
        const length = await readExactly(handle, LENGTH_BYTES);
        if (!length) return;
        const frame = await readExactly(handle, NONCE_BYTES + length.readUInt32BE());
        yield JSON.parse(gunzipSync(this.#unseal(file, index, frame)).toString());
      }
    } finally {
      await handle.close();
    }
  }

  #unseal(file: string, index: number, frame: Buffer | undefined): Buffer {
    try {
      const [nonce, body] = [frame!.subarray(0, NONCE_BYTES), frame!.subarray(NONCE_BYTES)];
      const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(placeOf(this.#id, file, index)).setAuthTag(body.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(body.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch {
      throw new Problem(
        `${join(this.#folder, file)} can’t be read: BACKUP_KEY is not its key, or the file is damaged.`,
      );
    }
  }
}

const placeOf = (id: string, file: string, index: number) => Buffer.from(`${id}/${file}/${index}`);

/** Reads the next bytes of a file. Returns undefined at its end, or if fewer are left. */
async function readExactly(handle: FileHandle, length: number): Promise<Buffer | undefined> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, null);
  return bytesRead === length ? buffer : undefined;
}
