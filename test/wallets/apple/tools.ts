import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { ImageVariant, StoredImage } from '../../../src/domain/images/stored-image.ts';

/** Output of a program that must be installed (openssl, unzip, python3); throws with its error output when it fails. */
export function run(program: string, args: string[], cwd?: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
}

/** Runs `work` in a directory of its own that is gone afterwards. */
export function inDirectory<T>(work: (path: string) => T): T {
  const path = mkdtempSync(join(tmpdir(), 'pass-file-'));
  try {
    return work(path);
  } finally {
    rmSync(path, { recursive: true });
  }
}

/**
 * Files of an archive by name, as the program `unzip` sees them; fails when the archive is not sound. It is asked for
 * the list and for all contents behind one another, because to start it for each file takes most of the time.
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

/** Checks a detached signature as a reader would that knows only the root; throws when it does not hold. */
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

/** What openssl prints of a signature. */
export function printSignature(signature: Uint8Array): string {
  return inDirectory((path) => {
    writeFileSync(join(path, 'signature'), signature);
    return run('openssl', ['cms', '-cmsout', '-print', '-noout', '-inform', 'DER', '-in', 'signature'], path);
  });
}

/** A store of images in memory: `add` takes one in, `load` is what a pass file asks. */
export class Assets {
  readonly bytes = new Map<string, Uint8Array>();
  readonly loaded: string[] = [];

  /** An image with the given scales, whose bytes say what it is. */
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

/**
 * Decodes a `pass.strings` the way Apple's format says: the byte order mark tells UTF-16, C escapes stand for
 * characters.
 */
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
