import { fromBase64, toBase64 } from '../../platform/crypto.ts';
import type { Context } from '../context.ts';

/** All parts of a multipart upload but the last have the same size, at least 5 MiB (R2, Limits). */
const PART_BYTES = 5 * 1024 * 1024;
const LISTED_MAX = 1_000;
/** Pass files are rebuilt when a phone requests them. */
const BUILT_AGAIN = 'pass-files/';

/** A part of a file in the bucket, in base64. Only the first part's content type and metadata are used. */
export interface FilePart {
  name: string;
  part: number;
  isLast: boolean;
  data: string;
  contentType?: string;
  metadata?: Record<string, string>;
}

/** Lists the names of the files that a backup holds, page by page. */
export async function listFiles({ env }: Context, cursor?: string): Promise<{ names: string[]; next: string | null }> {
  const page = await env.FILES.list({ cursor, limit: LISTED_MAX });
  const names = page.objects.map(({ key }) => key).filter((name) => !name.startsWith(BUILT_AGAIN));
  return { names, next: page.truncated ? page.cursor : null };
}

/** Reads a part of a file. Returns null if the file was deleted meanwhile. */
export async function readFilePart({ env }: Context, name: string, part: number): Promise<FilePart | null> {
  const head = await env.FILES.head(name);
  if (!head) return null;
  const offset = part * PART_BYTES;
  const length = Math.min(PART_BYTES, head.size - offset);
  const file = length > 0 ? await env.FILES.get(name, { range: { offset, length } }) : undefined;
  if (file === null) return null;
  return {
    name,
    part,
    isLast: offset + PART_BYTES >= head.size,
    data: file ? toBase64(new Uint8Array(await file.arrayBuffer())) : '',
    contentType: head.httpMetadata?.contentType,
    metadata: head.customMetadata,
  };
}

/** State of a multipart upload, passed from one call to the next. */
export interface Upload {
  id: string;
  parts: R2UploadedPart[];
}

/** Stores a part. A file of several parts exists once the last one is stored. Returns the state for the next part. */
export async function writeFilePart({ env }: Context, file: FilePart, upload?: Upload): Promise<Upload | null> {
  const { name, isLast, contentType, metadata: customMetadata } = file;
  const bytes = fromBase64(file.data);
  const options = { customMetadata, ...(contentType && { httpMetadata: { contentType } }) };
  if (isLast && !upload) {
    await env.FILES.put(name, bytes, options);
    return null;
  }
  const open = upload
    ? env.FILES.resumeMultipartUpload(name, upload.id)
    : await env.FILES.createMultipartUpload(name, options);
  const parts = [...(upload?.parts ?? []), await open.uploadPart(file.part + 1, bytes)];
  if (!isLast) return { id: open.uploadId, parts };
  await open.complete(parts);
  return null;
}

/** Deletes up to 1,000 files, including pass files. Returns how many. */
export async function clearFiles({ env }: Context): Promise<number> {
  const { objects } = await env.FILES.list({ limit: LISTED_MAX });
  if (objects.length > 0) await env.FILES.delete(objects.map(({ key }) => key));
  return objects.length;
}
