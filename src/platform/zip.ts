import { crc32 } from 'node:zlib';

/** A file to store. `crc32` is its checksum if the caller knows it. */
export interface ZipEntry {
  /** Path in the archive, with `/` between folders. */
  name: string;
  bytes: Uint8Array;
  crc32?: number;
}

/** Files that many archives have in common. The bytes around their contents are written only once. */
export interface ZipBlock {
  /** The local header of each file. */
  headers: Uint8Array[];
  /**
   * Their directory entries. `places`: offset of each file's entry in the directory, and of its header in the block.
   */
  directory: Uint8Array;
  places: { central: number; local: number }[];
  /** Bytes of headers and contents. */
  bytes: number;
}

/** A block with the contents of its files. It precedes the entry with the index `before`. */
interface FilledBlock extends ZipBlock {
  contents: readonly Uint8Array[];
  before: number;
}

const ENTRIES_MAX = 0xffff;
const NAME_BYTES_MAX = 0xffff;
const ARCHIVE_BYTES_MAX = 0xffff_ffff;

const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER_BYTES = 46;
const END_RECORD_BYTES = 22;

/** ZIP 2.0, the lowest version with folders in names. */
const VERSION = 20;
/** General purpose bit 11: the name is UTF-8. */
const UTF8_NAMES = 0x0800;

/** Start of the MS-DOS calendar, so that the same files give the same archive. */
const EPOCH = new Date(Date.UTC(1980, 0, 1));

const encoder = new TextEncoder();

const NO_BLOCK: FilledBlock = {
  ...{ headers: [], directory: new Uint8Array(), places: [], bytes: 0 },
  ...{ contents: [], before: 0 },
};

/**
 * Builds a ZIP archive (PKWARE APPNOTE 6.3) of uncompressed files in the given order: PNGs and signed packages don't
 * shrink. `at` (UTC, even seconds) is the time of every file; `block` has shared files of `zipBlock`. Throws beyond the
 * limits without Zip64: 65,535 files, 4 GiB.
 */
export function zipStore(
  entries: readonly ZipEntry[],
  at = EPOCH,
  block: FilledBlock = NO_BLOCK,
): Uint8Array<ArrayBuffer> {
  const count = block.headers.length + entries.length;
  if (count > ENTRIES_MAX) throw new RangeError(`a ZIP archive holds at most ${ENTRIES_MAX} files, not ${count}`);
  const names: Uint8Array[] = [];
  let directoryAt = block.bytes;
  let directoryBytes = block.directory.length;
  for (const { name: path, bytes } of entries) {
    const name = encodeName(path);
    names.push(name);
    directoryAt += LOCAL_HEADER_BYTES + name.length + bytes.length;
    directoryBytes += CENTRAL_HEADER_BYTES + name.length;
  }
  const total = directoryAt + directoryBytes + END_RECORD_BYTES;
  if (total > ARCHIVE_BYTES_MAX) throw new RangeError('a ZIP archive holds at most 4 GiB');

  const out = new Uint8Array(total);
  const view = new DataView(out.buffer);
  const time = dosTime(at);
  let local = 0;
  let central = directoryAt;
  for (let i = 0; i < entries.length; i++) {
    if (i === block.before) {
      putBlock(out, view, block, local, central, time);
      local += block.bytes;
      central += block.directory.length;
    }
    const { bytes, crc32: known } = entries[i]!;
    const name = names[i]!;
    const entry = { name, length: bytes.length, crc32: known ?? crc32(bytes) };
    putHeader(out, view, local, entry, time);
    out.set(bytes, local + LOCAL_HEADER_BYTES + name.length);
    putDirectoryEntry(out, view, central, local, entry, time);
    local += LOCAL_HEADER_BYTES + name.length + bytes.length;
    central += CENTRAL_HEADER_BYTES + name.length;
  }
  view.setUint32(central, 0x06054b50, true);
  view.setUint16(central + 8, count, true);
  view.setUint16(central + 10, count, true);
  view.setUint32(central + 12, directoryBytes, true);
  view.setUint32(central + 16, directoryAt, true);
  return out;
}

/** Prepares files for many archives. Their contents are added to each. */
export function zipBlock(files: readonly { name: string; length: number; crc32: number }[]): ZipBlock {
  const entries = files.map(({ name, ...facts }) => ({ name: encodeName(name), ...facts }));
  const directory = new Uint8Array(entries.reduce((sum, { name }) => sum + CENTRAL_HEADER_BYTES + name.length, 0));
  const view = new DataView(directory.buffer);
  const places: ZipBlock['places'] = [];
  let local = 0;
  let central = 0;
  const headers = entries.map((entry) => {
    const header = new Uint8Array(LOCAL_HEADER_BYTES + entry.name.length);
    putHeader(header, new DataView(header.buffer), 0, entry, 0);
    putDirectoryEntry(directory, view, central, local, entry, 0);
    places.push({ central, local });
    local += header.length + entry.length;
    central += CENTRAL_HEADER_BYTES + entry.name.length;
    return header;
  });
  return { headers, directory, places, bytes: local };
}

/** Writes a block. Only its time and place differ between archives. */
function putBlock(
  out: Uint8Array,
  view: DataView,
  { headers, contents, directory, places }: FilledBlock,
  localAt: number,
  centralAt: number,
  time: number,
): void {
  out.set(directory, centralAt);
  for (let i = 0; i < headers.length; i++) {
    const header = headers[i]!;
    const place = places[i]!;
    const local = localAt + place.local;
    const central = centralAt + place.central;
    out.set(header, local);
    view.setUint32(local + TIME_IN_HEADER, time, true);
    out.set(contents[i]!, local + header.length);
    view.setUint32(central + TIME_IN_DIRECTORY, time, true);
    view.setUint32(central + PLACE_IN_DIRECTORY, local, true);
  }
}

/** Short names to cache in encoded form, because archives of one kind have the same names. */
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

/** Facts about a file in its header and the directory. */
interface Entry {
  name: Uint8Array;
  length: number;
  crc32: number;
}

const TIME_IN_HEADER = 10;
const TIME_IN_DIRECTORY = 12;
const PLACE_IN_DIRECTORY = 42;

/** Writes the local header of a file (APPNOTE 4.3.7). */
function putHeader(out: Uint8Array, view: DataView, at: number, entry: Entry, time: number): void {
  view.setUint32(at, 0x04034b50, true);
  putFacts(view, at + 4, entry, time);
  out.set(entry.name, at + LOCAL_HEADER_BYTES);
}

/** Writes a directory entry (APPNOTE 4.3.12). Comment, disk and attributes stay zero. */
function putDirectoryEntry(
  out: Uint8Array,
  view: DataView,
  at: number,
  local: number,
  entry: Entry,
  time: number,
): void {
  view.setUint32(at, 0x02014b50, true);
  view.setUint16(at + 4, VERSION, true);
  putFacts(view, at + 6, entry, time);
  view.setUint32(at + PLACE_IN_DIRECTORY, local, true);
  out.set(entry.name, at + CENTRAL_HEADER_BYTES);
}

/** Writes the 26 bytes that both share. */
function putFacts(view: DataView, at: number, { name, length, crc32: checksum }: Entry, time: number): void {
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 2, UTF8_NAMES, true);
  view.setUint32(at + 6, time, true);
  view.setUint32(at + 10, checksum, true);
  view.setUint32(at + 14, length, true);
  view.setUint32(at + 18, length, true);
  view.setUint16(at + 22, name.length, true);
}

/** Encodes an MS-DOS date and time in one word: years from 1980 to 2107, seconds in steps of two. */
function dosTime(at: Date): number {
  const year = at.getUTCFullYear();
  if (year < 1980 || year > 2107) throw new RangeError('a ZIP archive dates from 1980 to 2107');
  const date = ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return ((date << 16) | time) >>> 0;
}
