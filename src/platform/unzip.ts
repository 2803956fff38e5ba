import { crc32, inflateRawSync } from 'node:zlib';

/** A problem with an archive. The message is for its sender. */
export class ZipError extends Error {}

/** Limits of an archive. */
export interface ZipLimits {
  files: number;
  /** Unpacked bytes of one file, and of all files. */
  fileBytes: number;
  totalBytes: number;
}

/** A file in an archive. */
export interface ZippedFile {
  /** Path in the archive, with `/` between folders. */
  name: string;
  /** Unpacked bytes. */
  size: number;
  crc32: number;
  /** Unpacks the file. Throws `ZipError` if it doesn't match the directory. */
  read: () => Uint8Array;
}

const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;
const [END, LOCAL, ENTRY] = [0x06054b50, 0x04034b50, 0x02014b50];
const [STORED, DEFLATED] = [0, 8];
/** General purpose bits 0, 6 and 13: encrypted, strongly encrypted, encrypted directory. */
const ENCRYPTED = 0x2041;
/** These values mean that the number is in a Zip64 record. */
const [IN_ZIP64_COUNT, IN_ZIP64] = [0xffff, 0xffff_ffff];
/**
 * Upper half of the external attributes that Unix writes: the mask of the file type, and the type of a symbolic link.
 */
const [KIND_OF_FILE, LINK] = [0xf000, 0xa000];
/** No file system has longer names (macOS allows 1,024 bytes), and they would bloat messages that quote them. */
const NAME_BYTES_MAX = 1_024;
const RATIO_MAX = 200;
/** Smaller files may have any compression ratio. */
const RATIO_FROM_BYTES = 1024 * 1024;

/**
 * Returns the files of a ZIP archive (PKWARE APPNOTE 6.3) in directory order, without folders. Throws `ZipError` if it
 * is broken, encrypted, split or beyond `limits`, uses a compression other than Deflate, or has names that leave the
 * archive or occur twice.
 */
export function openZip(bytes: Uint8Array, limits: ZipLimits): ZippedFile[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { count, directoryAt, endAt } = readEnd(view);
  if (count > limits.files) throw new ZipError(`it has more than ${limits.files} files`);
  const entries: Entry[] = [];
  let at = directoryAt;
  for (let i = 0; i < count; i++) {
    const entry = readEntry(view, at, endAt);
    entries.push(entry);
    at = entry.nextAt;
  }
  refuseRepeats(entries);
  const files = entries.filter(({ name }) => !name.endsWith('/'));
  refuseBombs(files, limits);
  const starts = new Map(files.map((entry) => [entry, dataAt(view, entry, directoryAt)]));
  refuseOverlaps(files, starts);
  return files.map((entry) => {
    const { name, size, checksum } = entry;
    const start = starts.get(entry)!;
    const packed = bytes.subarray(start, start + entry.packed);
    return { name, size, crc32: checksum, read: () => unpack(entry, packed) };
  });
}

type Entry = ReturnType<typeof readEntry>;

function readEnd(view: DataView): { count: number; directoryAt: number; endAt: number } {
  const first = Math.max(0, view.byteLength - END_BYTES - COMMENT_BYTES_MAX);
  for (let at = view.byteLength - END_BYTES; at >= first; at--) {
    if (view.getUint32(at, true) !== END) continue;
    // A comment can contain the signature, too. The real record ends with the archive.
    if (at + END_BYTES + view.getUint16(at + 20, true) !== view.byteLength) continue;
    const [disk, directoryDisk] = [view.getUint16(at + 4, true), view.getUint16(at + 6, true)];
    const [here, count] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const [size, directoryAt] = [view.getUint32(at + 12, true), view.getUint32(at + 16, true)];
    if (count === IN_ZIP64_COUNT || size === IN_ZIP64 || directoryAt === IN_ZIP64) throw new ZipError('it is a Zip64');
    if (disk !== 0 || directoryDisk !== 0 || here !== count) throw new ZipError('it is split into several files');
    if (directoryAt + size > at) throw new ZipError('its directory is broken');
    return { count, directoryAt, endAt: directoryAt + size };
  }
  throw new ZipError('it is not a ZIP archive, or it is cut off');
}

function readEntry(view: DataView, at: number, endAt: number) {
  if (at + ENTRY_BYTES > endAt || view.getUint32(at, true) !== ENTRY) throw new ZipError('its directory is broken');
  const nameBytes = view.getUint16(at + 28, true);
  const nextAt = at + ENTRY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  if (nextAt > endAt) throw new ZipError('its directory is broken');
  const entry = {
    name: nameAt(view, at + ENTRY_BYTES, nameBytes),
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    checksum: view.getUint32(at + 16, true),
    packed: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    localAt: view.getUint32(at + 42, true),
    nextAt,
  };
  const { name, method, packed, size, localAt } = entry;
  if (entry.flags & ENCRYPTED) throw new ZipError(`${name} is encrypted`);
  if (method !== STORED && method !== DEFLATED) throw new ZipError(`${name} is compressed in an unknown way`);
  if ([packed, size, localAt].includes(IN_ZIP64)) throw new ZipError('it is a Zip64');
  if (((view.getUint32(at + 38, true) >>> 16) & KIND_OF_FILE) === LINK) throw new ZipError(`${name} is a link`);
  return entry;
}

function nameAt(view: DataView, at: number, length: number): string {
  if (length > NAME_BYTES_MAX) throw new ZipError(`it has a name of more than ${NAME_BYTES_MAX} bytes`);
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, length);
  let name: string;
  try {
    // Also without the UTF-8 flag, because macOS writes UTF-8 without setting it.
    name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ZipError('it has a file whose name is not UTF-8');
  }
  const parts = name.replace(/\/$/, '').split('/');
  if (name.includes('\\') || name.includes('\0') || /^[a-z]:/i.test(name) || parts.some(isOutside))
    throw new ZipError(`the name ${JSON.stringify(name.slice(0, 100))} leads out of the archive`);
  return name;
}

function isOutside(part: string): boolean {
  return part === '' || part === '.' || part === '..';
}

/** Refuses names that differ only in case, because some file systems ignore case. */
function refuseRepeats(entries: Entry[]): void {
  const seen = new Set<string>();
  for (const { name } of entries) {
    const key = name.toLowerCase();
    if (seen.has(key)) throw new ZipError(`${name} occurs twice`);
    seen.add(key);
  }
}

function refuseBombs(files: Entry[], limits: ZipLimits): void {
  let total = 0;
  for (const { name, size, packed } of files) {
    total += size;
    if (size > limits.fileBytes) throw new ZipError(`${name} has more than ${limits.fileBytes} bytes`);
    if (total > limits.totalBytes)
      throw new ZipError(`it has more than ${limits.totalBytes} bytes when it is unpacked`);
    if (size > RATIO_FROM_BYTES && size > packed * RATIO_MAX)
      throw new ZipError(`${name} is compressed to less than a ${RATIO_MAX}th of its size`);
  }
}

/** Returns the start of a file's content. Throws if the local header doesn't match its entry. */
function dataAt(view: DataView, { name, localAt, packed }: Entry, directoryAt: number): number {
  const broken = () => new ZipError(`${name} is not where the directory says`);
  if (localAt + LOCAL_BYTES > directoryAt || view.getUint32(localAt, true) !== LOCAL) throw broken();
  const nameBytes = view.getUint16(localAt + 26, true);
  const start = localAt + LOCAL_BYTES + nameBytes + view.getUint16(localAt + 28, true);
  if (start + packed > directoryAt || nameAt(view, localAt + LOCAL_BYTES, nameBytes) !== name) throw broken();
  return start;
}

/** Refuses entries that share content, because they unpack to far more than they take. */
function refuseOverlaps(files: Entry[], starts: Map<Entry, number>): void {
  let end = 0;
  for (const entry of files.toSorted((a, b) => a.localAt - b.localAt)) {
    if (entry.localAt < end) throw new ZipError(`${entry.name} overlaps another file`);
    end = starts.get(entry)! + entry.packed;
  }
}

function unpack({ name, method, size, checksum }: Entry, packed: Uint8Array): Uint8Array {
  const bytes = method === STORED ? packed : inflate(name, packed, size);
  if (bytes.length !== size) throw new ZipError(`${name} does not have the size that the directory says`);
  if (crc32(bytes) !== checksum) throw new ZipError(`${name} is damaged`);
  return bytes;
}

/** Stops as soon as the output exceeds the size in the directory. */
function inflate(name: string, packed: Uint8Array, size: number): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: size + 1 });
  } catch {
    throw new ZipError(`${name} is damaged, or larger than the directory says`);
  }
}
