import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { zipBlock, zipStore } from '../../src/platform/zip.ts';
import { pythonFunction } from '../support/python.ts';

const text = (value: string) => new TextEncoder().encode(value);

const READ_ARCHIVE = `
import io, zipfile
def answer_to(given):
    archive = zipfile.ZipFile(io.BytesIO(given))
    assert archive.testzip() is None
    return [{
        "name": i.filename, "text": archive.read(i).decode(), "time": i.date_time, "crc": i.CRC,
        "stored": i.compress_type == zipfile.ZIP_STORED, "utf8": bool(i.flag_bits & 0x800),
    } for i in archive.infolist()]
`;

interface ReadEntry {
  name: string;
  text: string;
  time: number[];
  crc: number;
  stored: boolean;
  utf8: boolean;
}

/** Reads the archive with Python's zipfile, which checks every checksum. */
const read = pythonFunction<ReadEntry[]>(READ_ARCHIVE);

describe('zipStore', () => {
  test('stores files in order, with names of any language', async () => {
    const files = [
      { name: 'pass.json', bytes: text('{}') },
      { name: 'de.lproj/Grüße – 漢字 🎫.strings', bytes: text('Straße') },
      { name: 'empty', bytes: new Uint8Array() },
    ];
    const entries = await read(zipStore(files));
    expect(entries.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
    expect(entries.map((entry) => entry.text)).toEqual(['{}', 'Straße', '']);
    expect(entries.every(({ stored, utf8 }) => stored && utf8)).toBe(true);
    expect(entries[1]?.crc).toBe(crc32(text('Straße')));
  });

  test('is an empty archive without files', async () => {
    expect(await read(zipStore([]))).toEqual([]);
  });

  test('uses a given checksum', async () => {
    const archive = zipStore([{ name: 'a', bytes: text('abc'), crc32: 0x12345678 }]);
    expect(new DataView(archive.buffer).getUint32(14, true)).toBe(0x12345678);
    await expect(read(archive)).rejects.toThrow('AssertionError');
  });

  test('accepts a view of a larger buffer', async () => {
    const bytes = text('..inner..').subarray(2, 7);
    expect((await read(zipStore([{ name: 'a', bytes }])))[0]?.text).toBe('inner');
  });

  test('returns the same archive for the same files, dated 1980 unless a time is given', async () => {
    const files = [{ name: 'a', bytes: text('b') }];
    expect(zipStore(files)).toEqual(zipStore(files));
    expect((await read(zipStore(files)))[0]?.time).toEqual([1980, 1, 1, 0, 0, 0]);
    const at = new Date(Date.UTC(2026, 11, 31, 23, 59, 58));
    expect((await read(zipStore(files, at)))[0]?.time).toEqual([2026, 12, 31, 23, 59, 58]);
  });

  test('puts prepared files among the others, with the same result', async () => {
    const names = ['de.lproj/Grüße.strings', 'icon.png', 'empty'];
    const contents = [text('Straße'), text('PNG'), new Uint8Array()];
    const shared = names.map((name, i) => ({ name, bytes: contents[i]! }));
    const block = zipBlock(shared.map(({ name, bytes }) => ({ name, length: bytes.length, crc32: crc32(bytes) })));
    const [first, second, last] = ['pass.json', 'manifest.json', 'signature'].map((name) => ({
      name,
      bytes: text(name),
    }));
    const at = new Date(Date.UTC(2026, 11, 31, 23, 59, 58));
    for (const before of [0, 1, 2]) {
      const own = [first!, second!, last!];
      const archive = zipStore(own, at, { ...block, contents, before });
      expect(archive).toEqual(zipStore(own.toSpliced(before, 0, ...shared), at));
      expect(await read(archive)).toHaveLength(6);
    }
  });

  test('rejects what the format does not support', () => {
    const entry = { name: 'a', bytes: new Uint8Array(), crc32: 0 };
    const full = zipStore(Array(65_535).fill(entry));
    // The end record's count of files, 12 bytes before the end.
    expect(new DataView(full.buffer).getUint16(full.length - 12, true)).toBe(65_535);
    expect(() => zipStore(Array(65_536).fill(entry))).toThrow(RangeError);
    // The length is checked before the archive is created.
    const huge = { length: 2 ** 31 } as Uint8Array;
    const halves = [
      { name: 'a', bytes: huge, crc32: 0 },
      { name: 'b', bytes: huge, crc32: 0 },
    ];
    expect(() => zipStore(halves)).toThrow('4 GiB');
    expect(() => zipStore([{ ...entry, name: '' }])).toThrow(RangeError);
    expect(() => zipStore([{ ...entry, name: 'x'.repeat(65_536) }])).toThrow(RangeError);
    expect(() => zipStore([entry], new Date(0))).toThrow(RangeError);
  });
});
