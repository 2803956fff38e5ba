import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openZip, ZipError } from '../../src/platform/unzip.ts';
import { zipStore } from '../../src/platform/zip.ts';
import { randomRuns } from '../support/random-runs.ts';

const MIB = 1024 * 1024;
const LIMITS = { files: 20, fileBytes: 4 * MIB, totalBytes: 6 * MIB };
const text = (value: string) => new TextEncoder().encode(value);
const FILES = [
  { name: 'pass.json', bytes: text('{"a": 1}') },
  { name: 'de.lproj/Grüße – 漢字 🎫.strings', bytes: text('Straße '.repeat(500)) },
  { name: 'empty', bytes: new Uint8Array() },
];

/** Returns an archive that a program creates from files in a folder. */
function archiveBy(program: (folder: string) => string[], files = FILES): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'unzip-'));
  try {
    const [command, ...args] = program(folder);
    const script =
      'import os, sys\nfor p, t in zip(sys.argv[2::2], sys.argv[3::2]):\n  f = os.path.join(sys.argv[1], p)\n  os.makedirs(os.path.dirname(f), exist_ok=True)\n  open(f, "w").write(t)';
    const decoder = new TextDecoder();
    execFileSync('python3', [
      '-c',
      script,
      folder,
      ...files.flatMap(({ name, bytes }) => [name, decoder.decode(bytes)]),
    ]);
    execFileSync(command!, args, { cwd: folder, stdio: 'pipe' });
    return new Uint8Array(readFileSync(join(folder, 'out.zip')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PYTHON = `
import os, sys, zipfile
archive = zipfile.ZipFile('out.zip', 'w', zipfile.ZIP_DEFLATED)
for folder, _, names in os.walk('.'):
    for name in names:
        if name != 'out.zip': archive.write(os.path.join(folder, name))
archive.comment = b'PK\\x05\\x06 is no end'
archive.close()
`;

const read = (bytes: Uint8Array) =>
  openZip(bytes, LIMITS)
    .map((file) => ({ name: file.name, bytes: new Uint8Array(file.read()) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
const sorted = FILES.toSorted((a, b) => (a.name < b.name ? -1 : 1));

describe('openZip reads what is written by', () => {
  test('our own service', () => {
    expect(read(zipStore(FILES))).toEqual(sorted);
  });

  test('Info-ZIP, compressed, with entries for folders', () => {
    expect(read(archiveBy(() => ['zip', '-qr', 'out.zip', '.']))).toEqual(sorted);
  });

  test('Info-ZIP to a pipe, where sizes follow the content', () => {
    expect(read(archiveBy(() => ['sh', '-c', 'zip -qr - . -x ./out.zip out.zip | cat > out.zip']))).toEqual(sorted);
  });

  test('Python, with a comment that looks like the end of an archive', () => {
    expect(read(archiveBy(() => ['python3', '-c', PYTHON]))).toEqual(sorted);
  });
});

/** Returns an archive of one file with changed numbers in its header, in both places or in the directory only. */
function changed(change: (view: DataView, entry: number, local: number) => void, name = 'a', content = text('hello')) {
  const bytes = zipStore([{ name, bytes: content }]);
  const view = new DataView(bytes.buffer);
  const entry = 30 + name.length + content.length;
  change(view, entry, 0);
  return bytes;
}

/** Returns an archive of one file that the caller has compressed. */
function packed(packedBytes: Uint8Array, size: number, crc: number): Uint8Array {
  return changed(
    (view, entry) => {
      for (const at of [8, entry + 10]) view.setUint16(at, 8, true);
      for (const at of [14, entry + 16]) view.setUint32(at, crc, true);
      for (const at of [22, entry + 24]) view.setUint32(at, size, true);
    },
    'a',
    packedBytes,
  );
}

const refusal = (bytes: Uint8Array) => {
  try {
    for (const file of openZip(bytes, LIMITS)) file.read();
  } catch (error) {
    if (error instanceof ZipError) return error.message;
    throw error;
  }
  return 'accepted';
};
const named = (...names: string[]) => zipStore(names.map((name) => ({ name, bytes: text('x') })));

describe('openZip rejects', () => {
  test.each<[string, Uint8Array, RegExp]>([
    ['no archive', text('hello'), /not a ZIP archive/],
    ['nothing', new Uint8Array(), /not a ZIP archive/],
    ['an archive that is cut off', zipStore(FILES).slice(0, -5), /cut off/],
    ['a directory that is cut off', changed((view, entry) => view.setUint32(entry, 0)), /directory is broken/],
    ['an encrypted file', changed((view, entry) => view.setUint16(entry + 8, 1, true)), /a is encrypted/],
    ['an unknown compression', changed((view, entry) => view.setUint16(entry + 10, 12, true)), /unknown way/],
    ['a Zip64', changed((view, entry) => view.setUint32(entry + 20, 0xffff_ffff, true)), /Zip64/],
    ['a part of an archive', changed((view) => view.setUint16(view.byteLength - 18, 1, true)), /split/],
    ['a link', changed((view, entry) => view.setUint32(entry + 38, 0xa1ff_0000, true)), /is a link/],
    ['a wrong checksum', changed((view, entry) => view.setUint32(entry + 16, 1, true)), /is damaged/],
    ['another name in front of the file', changed((view) => view.setUint8(30, 98)), /not where the directory says/],
    ['a file beyond the archive', changed((view, entry) => view.setUint32(entry + 20, 500, true)), /not where/],
    ['a path out of the archive', named('../pass.json'), /leads out/],
    ['such a path inside', named('a/../../b'), /leads out/],
    ['an absolute path', named('/etc/passwd'), /leads out/],
    ['a path of Windows', named('C:\\x'), /leads out/],
    ['a backslash', named('a\\b'), /leads out/],
    ['an end of text in a name', named('a\0b'), /leads out/],
    ['a name twice', named('pass.json', 'pass.json'), /occurs twice/],
    ['a name twice but for its case', named('pass.json', 'Pass.json'), /occurs twice/],
    ['a name that no system takes', named('x'.repeat(1_025)), /name of more than 1024 bytes/],
    ['too many files', named(...Array.from({ length: 21 }, (_, i) => `f${i}`)), /more than 20 files/],
    ['a file that is too large', zipStore([{ name: 'a', bytes: new Uint8Array(4 * MIB + 1) }]), /a has more than/],
  ])('%s', (_, bytes, message) => {
    expect(refusal(bytes)).toMatch(message);
  });

  test('files that are too large together', () => {
    const files = ['a', 'b', 'c'].map((name) => ({ name, bytes: new Uint8Array(3 * MIB) }));
    expect(refusal(zipStore(files))).toMatch(/more than 6291456 bytes when it is unpacked/);
  });

  test('a ZIP bomb that declares its size', () => {
    const zeros = new Uint8Array(3 * MIB);
    expect(refusal(packed(deflateRawSync(zeros), zeros.length, 0))).toMatch(/less than a 200th/);
  });

  test('a ZIP bomb that claims to be small, before unpacking it', () => {
    const before = process.memoryUsage().arrayBuffers;
    // A part that ends at a byte can be repeated, which takes no time to compress.
    const part = deflateRawSync(new Uint8Array(MIB), { finishFlush: constants.Z_FULL_FLUSH });
    const parts = [...Array.from({ length: 512 }, () => part), deflateRawSync(new Uint8Array())];
    const bomb = packed(Buffer.concat(parts), 10, 0);
    expect(refusal(bomb)).toMatch(/larger than the directory says/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(600 * MIB);
  });

  test('a file that overlaps another one of the archive', () => {
    const bytes = zipStore(['a', 'b'].map((name) => ({ name, bytes: text('hello') })));
    const one = 30 + 1 + 5;
    const view = new DataView(bytes.buffer);
    for (const at of [20, 24]) view.setUint32(2 * one + at, 5 + one, true);
    expect(refusal(bytes)).toBe('b overlaps another file');
  });
});

test('openZip never fails in another way, whatever bytes are changed', () => {
  const archive = zipStore(FILES);
  const compressed = archiveBy(() => ['zip', '-qr', 'out.zip', '.']);
  const change = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.boolean(), change, fc.nat(), (isOwn, changes, cut) => {
      const bytes = new Uint8Array(isOwn ? archive : compressed);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      const shown = cut % 4 === 0 ? bytes.slice(0, cut % bytes.length) : bytes;
      expect(typeof refusal(shown)).toBe('string');
    }),
    randomRuns(1_000, 20_000),
  );
});
