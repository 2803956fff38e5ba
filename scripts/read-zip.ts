import { inflateRawSync } from 'node:zlib';
import { Problem } from './settings.ts';

const END_SIGNATURE = 0x06054b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const DEFLATED = 8;

/**
 * Reads the files of a ZIP archive by name (PKWARE APPNOTE 6.3 §4.3; stored or deflated, no comment). Throws a
 * `Problem` for anything else.
 */
export function readZip(archive: Buffer): Map<string, Buffer> {
  const end = archive.length - END_BYTES;
  if (end < 0 || archive.readUInt32LE(end) !== END_SIGNATURE) throw new Problem('The file is not a ZIP archive.');
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== CENTRAL_SIGNATURE) throw new Problem('The ZIP archive is damaged.');
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const name = archive.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes);
    const size = archive.readUInt32LE(at + 20);
    const local = archive.readUInt32LE(at + 42);
    const start = local + LOCAL_BYTES + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const content = archive.subarray(start, start + size);
    files.set(name, archive.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(content) : content);
    at += CENTRAL_BYTES + nameBytes + extraBytes + commentBytes;
  }
  return files;
}
