import { someAsync } from '../../platform/concurrency.ts';
import { shardOf, UUID_PATTERN, uuidv7 } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { purgeFiles } from '../../platform/purge-files.ts';
import type { AccountContext, Context } from '../context.ts';
import { DomainError, notFound } from '../errors.ts';

/** An uploaded file with passes that waits for a decision. */
export interface StoredImport {
  id: string;
  templateId: string;
  fileName: string;
  bytes: ArrayBuffer;
  /** Identifies this state of the file. */
  etag: string;
}

/** How long a file waits for a decision. */
export const IMPORT_HOURS = 24;

/** Prefix of these files in the bucket, before the account's identifier. */
export const IMPORTS_PREFIX = 'imports/';
const FILE_NAME_CHARS_MAX = 200;

const keyOf = (ctx: AccountContext, id: string) => `${IMPORTS_PREFIX}${ctx.account.id}/${id}`;

/** Stores a file for a day, for this account only. Returns its identifier. */
export async function storeImport(ctx: AccountContext, file: Omit<StoredImport, 'id' | 'etag'>): Promise<string> {
  const id = uuidv7(shardOf(ctx.account.id));
  await put(ctx, { ...file, id });
  return id;
}

async function put(
  ctx: AccountContext,
  { id, templateId, fileName, bytes }: Omit<StoredImport, 'etag'>,
): Promise<void> {
  // Metadata is sent in headers, which allow ASCII only.
  const customMetadata = {
    templateId,
    fileName: encodeURIComponent(fileName.slice(0, FILE_NAME_CHARS_MAX).toWellFormed()),
  };
  await ctx.env.FILES.put(keyOf(ctx, id), bytes, { customMetadata });
}

/** Returns a file of the account. Throws not found if it doesn't exist or is being imported. */
export async function getImport(ctx: AccountContext, id: string): Promise<StoredImport> {
  const object = UUID_PATTERN.test(id) ? await ctx.env.FILES.get(keyOf(ctx, id)) : null;
  // A file that is being imported is empty.
  if (!object || object.size === 0) throw notFound();
  const { templateId = '', fileName = '' } = object.customMetadata ?? {};
  return {
    id,
    templateId,
    fileName: decodeURIComponent(fileName),
    bytes: await object.arrayBuffer(),
    etag: object.etag,
  };
}

/**
 * Runs the import of a file once: of simultaneous requests, one gets the file, and the others throw `conflict`. Stores
 * the file again if `work` fails, and deletes it if it succeeds.
 */
export async function claimImport<T>(ctx: AccountContext, file: StoredImport, work: () => Promise<T>): Promise<T> {
  const key = keyOf(ctx, file.id);
  const taken = await ctx.env.FILES.put(key, '', { onlyIf: { etagMatches: file.etag } });
  if (!taken) throw new DomainError('conflict', 'This file is already being imported; see Processes');
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await put(ctx, file);
    throw error;
  }
  try {
    await ctx.env.FILES.delete(key);
  } catch (error) {
    // The import has begun. Nobody can import the empty file, which is purged with the others.
    logLine('error', { event: 'import-file', requestId: ctx.requestId, import: file.id, error: describeError(error) });
  }
  return result;
}

/** Cron task: once an hour, deletes the files that waited too long for a decision. */
export async function purgeImports(ctx: Pick<Context, 'env'>, now = Date.now()): Promise<void> {
  if (new Date(now).getUTCMinutes() !== 0) return;
  await purgeFiles(ctx.env.FILES, IMPORTS_PREFIX, now - IMPORT_HOURS * 3_600_000);
}

const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le'];

/**
 * Deletes the account's waiting files that contain one of the texts, and returns their names. With `dryRun` it deletes
 * nothing. `isOwn`: whether a text belongs to the person alone.
 */
export async function eraseImports(
  ctx: AccountContext,
  texts: string[],
  { isOwn, dryRun }: { isOwn(text: string): Promise<boolean>; dryRun: boolean },
): Promise<string[]> {
  const prefix = `${IMPORTS_PREFIX}${ctx.account.id}/`;
  const erased: string[] = [];
  let cursor: string | undefined;
  do {
    const listed: R2Objects = await ctx.env.FILES.list({ prefix, cursor });
    for (const { key } of listed.objects) {
      const bytes = await (await ctx.env.FILES.get(key))?.arrayBuffer();
      const content = bytes ? ENCODINGS.map((name) => new TextDecoder(name).decode(bytes).toLowerCase()) : [];
      const held = texts.filter((text) => content.some((one) => one.includes(text.toLowerCase())));
      if (!(await someAsync(held, isOwn))) continue;
      erased.push(key);
      if (!dryRun) await ctx.env.FILES.delete(key);
    }
    cursor = listed.truncated ? listed.cursor : undefined;
  } while (cursor);
  return erased;
}
