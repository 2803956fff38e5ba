import { crc32 } from 'node:zlib';

/** A file to store; `crc32` is its checksum when the caller knows it already. */
export interface ZipEntry {
  /** Path inside the archive, with `/` between folders. */
  name: string;
  bytes: Uint8Array;
  crc32?: number;
}

const ENTRIES_MAX = 0xffff;
const NAME_BYTES_MAX = 0xffff;
const ARCHIVE_BYTES_MAX = 0xffff_ffff;

const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER_BYTES = 46;
const END_RECORD_BYTES = 22;

/** ZIP 2.0, the least that knows folders in names. */
const VERSION = 20;
/** General purpose bit 11: the name is UTF-8. */
const UTF8_NAMES = 0x0800;

/** First moment of the MS-DOS calendar; the same files then give the same archive. */
const EPOCH = new Date(Date.UTC(1980, 0, 1));

const encoder = new TextEncoder();

/**
 * A ZIP archive (PKWARE APPNOTE 6.3) of stored, not compressed, files in the given order: what it is for, PNG and
 * signed packages, does not shrink. `at` (UTC, even seconds) is the time of every file. Throws beyond what the format
 * holds without Zip64: 65,535 files, 4 GiB.
 */
export function zipStore(entries: readonly ZipEntry[], at = EPOCH): Uint8Array<ArrayBuffer> {
  if (entries.length > ENTRIES_MAX)
    throw new RangeError(`a ZIP archive holds at most ${ENTRIES_MAX} files, not ${entries.length}`);
  const names = entries.map(({ name }) => encodeName(name));
  let directoryAt = 0;
  let directoryBytes = 0;
  for (const [i, { bytes }] of entries.entries()) {
    directoryAt += LOCAL_HEADER_BYTES + names[i]!.length + bytes.length;
    directoryBytes += CENTRAL_HEADER_BYTES + names[i]!.length;
  }
  const total = directoryAt + directoryBytes + END_RECORD_BYTES;
  if (total > ARCHIVE_BYTES_MAX) throw new RangeError('a ZIP archive holds at most 4 GiB');

  const out = new Uint8Array(total);
  const view = new DataView(out.buffer);
  const time = dosTime(at);
  let local = 0;
  let central = directoryAt;
  for (const [i, { bytes, crc32: known }] of entries.entries()) {
    const name = names[i]!;
    view.setUint32(local, 0x04034b50, true);
    writeFacts(view, local + 4, time, known ?? crc32(bytes), bytes, name);
    out.set(name, local + LOCAL_HEADER_BYTES);
    out.set(bytes, local + LOCAL_HEADER_BYTES + name.length);

    view.setUint32(central, 0x02014b50, true);
    view.setUint16(central + 4, VERSION, true);
    // The same 26 bytes as in the local header; comment, disk and attributes stay zero.
    out.copyWithin(central + 6, local + 4, local + LOCAL_HEADER_BYTES);
    view.setUint32(central + 42, local, true);
    out.set(name, central + CENTRAL_HEADER_BYTES);

    local += LOCAL_HEADER_BYTES + name.length + bytes.length;
    central += CENTRAL_HEADER_BYTES + name.length;
  }
  view.setUint32(central, 0x06054b50, true);
  view.setUint16(central + 8, entries.length, true);
  view.setUint16(central + 10, entries.length, true);
  view.setUint32(central + 12, directoryBytes, true);
  view.setUint32(central + 16, directoryAt, true);
  return out;
}

/** Archives of one kind have the same names; those of a few kinds are kept, which are no tenant's. */
const NAMES_KEPT = 500;
const NAME_BYTES_KEPT = 64;
const encodedNames = new Map<string, Uint8Array>();

function encodeName(name: string): Uint8Array {
  const known = encodedNames.get(name);
  if (known) return known;
  const bytes = encoder.encode(name);
  if (bytes.length === 0 || bytes.length > NAME_BYTES_MAX)
    throw new RangeError('a name in a ZIP archive has 1 to 65,535 bytes');
  if (bytes.length > NAME_BYTES_KEPT) return bytes;
  if (encodedNames.size >= NAMES_KEPT) encodedNames.clear();
  encodedNames.set(name, bytes);
  return bytes;
}

/** The 26 bytes that the header of a file and its entry in the directory share (APPNOTE 4.3.7 and 4.3.12). */
function writeFacts(view: DataView, at: number, time: number, crc: number, bytes: Uint8Array, name: Uint8Array): void {
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 2, UTF8_NAMES, true);
  view.setUint32(at + 6, time, true);
  view.setUint32(at + 10, crc, true);
  view.setUint32(at + 14, bytes.length, true);
  view.setUint32(at + 18, bytes.length, true);
  view.setUint16(at + 22, name.length, true);
}

/** Date and time of MS-DOS in one word: years from 1980 to 2107, seconds in steps of two. */
function dosTime(at: Date): number {
  const year = at.getUTCFullYear();
  if (year < 1980 || year > 2107) throw new RangeError('a ZIP archive dates from 1980 to 2107');
  const date = ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return ((date << 16) | time) >>> 0;
}
