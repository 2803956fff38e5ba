import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { ImageVariant, StoredImage } from '../../../src/domain/images/stored-image.ts';

/**
 * Runs a program that must be installed (openssl, unzip, python3) and returns its output. Throws with its error output
 * if it fails.
 */
export function run(program: string, args: string[], cwd?: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
}

/** Runs `work` in a temporary directory. */
export function inDirectory<T>(work: (path: string) => T): T {
  const path = mkdtempSync(join(tmpdir(), 'pass-file-'));
  try {
    return work(path);
  } finally {
    rmSync(path, { recursive: true });
  }
}

/**
 * Returns an archive's files by name, as read by `unzip`; fails if the archive is invalid. Calls it once for the list
 * and once for all contents, because starting it takes most of the time.
 */
export function unzip(archive: Uint8Array): Map<string, Buffer> {
  return inDirectory((path) => {
    const file = join(path, 'archive.zip');
    writeFileSync(file, archive);
    const lines = run('unzip', ['-lqq', file]).trimEnd().split('\n');
    const contents = execFileSync('unzip', ['-p', file], { stdio: 'pipe', maxBuffer: Number.POSITIVE_INFINITY });
    let start = 0;
    const files = lines.map((line): [string, Buffer] => {
      const [, length, name] = /^ *(\d+) +\S+ \S+ {3}(.+)$/.exec(line)!;
      const end = start + Number(length);
      const content = contents.subarray(start, end);
      start = end;
      return [name!, content];
    });
    if (start !== contents.length) throw new Error(`${contents.length} bytes where ${start} are listed`);
    return new Map(files);
  });
}

/** Verifies a detached signature like a reader who only knows the root. Throws if it is invalid. */
export function verifySignature(manifest: Uint8Array, signature: Uint8Array, rootPem: string): void {
  inDirectory((path) => {
    writeFileSync(join(path, 'manifest.json'), manifest);
    writeFileSync(join(path, 'signature'), signature);
    writeFileSync(join(path, 'root.pem'), rootPem);
    const detached = ['-binary', '-inform', 'DER', '-in', 'signature', '-content', 'manifest.json'];
    const trust = ['-CAfile', 'root.pem', '-purpose', 'any', '-out', join(path, 'verified')];
    run('openssl', ['cms', '-verify', ...detached, ...trust], path);
  });
}

/** Returns openssl's printout of a signature. */
export function printSignature(signature: Uint8Array): string {
  return inDirectory((path) => {
    writeFileSync(join(path, 'signature'), signature);
    return run('openssl', ['cms', '-cmsout', '-print', '-noout', '-inform', 'DER', '-in', 'signature'], path);
  });
}

/** An in-memory store of images: `add` stores one, and pass files use `load`. */
export class Assets {
  readonly bytes = new Map<string, Uint8Array>();
  readonly loaded: string[] = [];

  /** Adds an image with the given scales, whose bytes identify it. */
  add(name: string, scales: ('1' | '2' | '3')[] = ['1', '2', '3']): StoredImage {
    const variants: StoredImage['variants'] = {};
    for (const scale of scales) variants[scale] = this.#variant(`${name}@${scale}`);
    return { sha256: createHash('sha256').update(name).digest('hex'), width: 30, height: 30, variants };
  }

  #variant(key: string): ImageVariant {
    const bytes = Buffer.from(`png of ${key}`);
    this.bytes.set(key, bytes);
    const sha1 = createHash('sha1').update(bytes).digest('hex');
    return { key, width: 10, height: 10, bytes: bytes.length, sha1, crc32: crc32(bytes) };
  }

  load = async ({ key }: ImageVariant): Promise<Uint8Array> => {
    this.loaded.push(key);
    const bytes = this.bytes.get(key);
    if (!bytes) throw new Error(`no image ${key}`);
    return bytes;
  };
}

/** Decodes a `pass.strings` file in Apple's format: UTF-16 according to its byte order mark, with C escapes. */
export function decodeStrings(file: Uint8Array): Record<string, string> {
  const utf16 = file[0] === 0xff && file[1] === 0xfe;
  const text = new TextDecoder(utf16 ? 'utf-16le' : 'utf-8').decode(file);
  const line = /"((?:[^"\\\n]|\\.)*)" = "((?:[^"\\\n]|\\.)*)";\n/y;
  const table: Record<string, string> = {};
  while (line.lastIndex < text.length) {
    const match = line.exec(text);
    if (!match) throw new Error(`not a strings file: ${text}`);
    table[JSON.parse(`"${match[1]}"`)] = JSON.parse(`"${match[2]}"`);
  }
  return table;
}
