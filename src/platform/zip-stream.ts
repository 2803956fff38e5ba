import { crc32 } from 'node:zlib';

/** A file in a streamed archive. */
export interface StreamedEntry {
  /** Path in the archive, with `/` between folders. */
  name: string;
  chunks: AsyncIterable<Uint8Array>;
}

/** ZIP 2.0, the lowest version with compression. */
const VERSION = 20;
/** General purpose bits 3 and 11: sizes follow the content, and the name is UTF-8. */
const FLAGS = 0x0808;
const DEFLATE = 8;
/** 1 January 1980, the first day of the MS-DOS calendar. */
const EPOCH_DATE = 33;
const ENTRIES_MAX = 0xffff;
const ARCHIVE_BYTES_MAX = 0xffff_ffff;

const encoder = new TextEncoder();

interface Written {
  name: Uint8Array;
  at: number;
  crc: number;
  compressed: number;
  bytes: number;
}

/**
 * Streams a ZIP archive (PKWARE APPNOTE 6.3) of compressed files, in the order in which they arrive. Keeps only a chunk
 * and one directory entry per file in memory. Throws beyond 65,535 files or 4 GiB.
 */
export async function* zipStream(entries: AsyncIterable<StreamedEntry>): AsyncGenerator<Uint8Array> {
  const written: Written[] = [];
  let at = 0;
  for await (const { name: path, chunks } of entries) {
    const name = encoder.encode(path);
    const entry: Written = { name, at, crc: 0, compressed: 0, bytes: 0 };
    const header = localHeader(name);
    yield header;
    for await (const chunk of deflated(chunks, entry)) {
      entry.compressed += chunk.length;
      yield chunk;
    }
    const descriptor = descriptorOf(entry);
    yield descriptor;
    at += header.length + entry.compressed + descriptor.length;
    written.push(entry);
    if (at > ARCHIVE_BYTES_MAX || written.length > ENTRIES_MAX)
      throw new RangeError('a ZIP archive holds at most 4 GiB');
  }
  let size = 0;
  for (const entry of written) {
    const line = directoryLine(entry);
    size += line.length;
    yield line;
  }
  yield endRecord(written.length, size, at);
}

/** Compresses chunks, and records the checksum and size of the input. */
async function* deflated(chunks: AsyncIterable<Uint8Array>, entry: Written): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new CompressionStream('deflate-raw');
  const writer = writable.getWriter();
  const writing = (async () => {
    try {
      for await (const chunk of chunks) {
        entry.crc = crc32(chunk, entry.crc);
        entry.bytes += chunk.length;
        await writer.write(chunk);
      }
      await writer.close();
    } catch (error) {
      await writer.abort(error);
    }
  })();
  yield* readable;
  await writing;
}

function localHeader(name: Uint8Array): Uint8Array {
  const out = new Uint8Array(30 + name.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, 0x04034b50, true);
  writeKind(view, 4);
  view.setUint16(26, name.length, true);
  out.set(name, 30);
  return out;
}

/** Writes version, flags, method, time and date as in local headers and the directory. */
function writeKind(view: DataView, at: number): void {
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 2, FLAGS, true);
  view.setUint16(at + 4, DEFLATE, true);
  view.setUint16(at + 8, EPOCH_DATE, true);
}

function writeSizes(view: DataView, at: number, { crc, compressed, bytes }: Written): void {
  view.setUint32(at, crc, true);
  view.setUint32(at + 4, compressed, true);
  view.setUint32(at + 8, bytes, true);
}

function descriptorOf(entry: Written): Uint8Array {
  const view = new DataView(new ArrayBuffer(16));
  view.setUint32(0, 0x08074b50, true);
  writeSizes(view, 4, entry);
  return new Uint8Array(view.buffer);
}

function directoryLine(entry: Written): Uint8Array {
  const out = new Uint8Array(46 + entry.name.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, 0x02014b50, true);
  view.setUint16(4, VERSION, true);
  writeKind(view, 6);
  writeSizes(view, 16, entry);
  view.setUint16(28, entry.name.length, true);
  view.setUint32(42, entry.at, true);
  out.set(entry.name, 46);
  return out;
}

function endRecord(entries: number, size: number, at: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(22));
  view.setUint32(0, 0x06054b50, true);
  view.setUint16(8, entries, true);
  view.setUint16(10, entries, true);
  view.setUint32(12, size, true);
  view.setUint32(16, at, true);
  return new Uint8Array(view.buffer);
}
