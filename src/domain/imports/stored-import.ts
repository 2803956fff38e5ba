import { shardOf, UUID_PATTERN, uuidv7 } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { purgeFiles } from '../../platform/purge-files.ts';
import type { AccountContext, Context } from '../context.ts';
import { DomainError, notFound } from '../errors.ts';

/** A file with passes that somebody has sent and not yet decided about. */
export interface StoredImport {
  id: string;
  templateId: string;
  fileName: string;
  bytes: ArrayBuffer;
  /** Names this state of the file. */
  etag: string;
}

/** How long a file waits for a decision. */
export const IMPORT_HOURS = 24;

/** Where files of an account lie, below its identifier. */
export const IMPORTS_PREFIX = 'imports/';
const FILE_NAME_CHARS_MAX = 200;

const keyOf = (ctx: AccountContext, id: string) => `${IMPORTS_PREFIX}${ctx.account.id}/${id}`;

/** Keeps a file for a day, for the account alone, and returns its identifier. */
export async function storeImport(ctx: AccountContext, file: Omit<StoredImport, 'id' | 'etag'>): Promise<string> {
  const id = uuidv7(shardOf(ctx.account.id));
  await put(ctx, { ...file, id });
  return id;
}

async function put(
  ctx: AccountContext,
  { id, templateId, fileName, bytes }: Omit<StoredImport, 'etag'>,
): Promise<void> {
  // Metadata travels in headers, which take ASCII only.
  const customMetadata = {
    templateId,
    fileName: encodeURIComponent(fileName.slice(0, FILE_NAME_CHARS_MAX).toWellFormed()),
  };
  await ctx.env.FILES.put(keyOf(ctx, id), bytes, { customMetadata });
}

/** A file of the account; throws not found when there is none, or no longer. */
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
 * Does what a file was sent for, once: of several requests at the same time one finds the file as it was read, and the
 * others `conflict`. Where the work fails the file is there again; it goes with the work.
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
    // An empty file is imported by nobody, and purged with the others; the import has begun.
    logLine('error', { event: 'import-file', requestId: ctx.requestId, import: file.id, error: describeError(error) });
  }
  return result;
}

/** Cron task: once an hour, removes the files that nobody has decided about in time. */
export async function purgeImports(ctx: Pick<Context, 'env'>, now = Date.now()): Promise<void> {
  if (new Date(now).getUTCMinutes() !== 0) return;
  await purgeFiles(ctx.env.FILES, IMPORTS_PREFIX, now - IMPORT_HOURS * 3_600_000);
}

const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le'];

/**
 * Deletes the files of the account that have one of the texts and wait for a decision, and returns their names. With
 * `dryRun` it deletes nothing. `isOwn`: whether a text tells of the person alone.
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
      if (!(await someOf(held, isOwn))) continue;
      erased.push(key);
      if (!dryRun) await ctx.env.FILES.delete(key);
    }
    cursor = listed.truncated ? listed.cursor : undefined;
  } while (cursor);
  return erased;
}

async function someOf(texts: string[], holds: (text: string) => Promise<boolean>): Promise<boolean> {
  for (const text of texts) if (await holds(text)) return true;
  return false;
}
