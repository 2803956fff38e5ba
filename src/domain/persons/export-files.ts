import { mapConcurrent } from '../../platform/concurrency.ts';
import { purgeFiles } from '../../platform/purge-files.ts';
import { sealFile, unsealFile } from '../../platform/sealed-text.ts';
import { withRetries } from '../../platform/transient-error.ts';
import type { AccountContext, Context } from '../context.ts';

/** How long an export can be downloaded. */
export const EXPORT_HOURS = 24;
/** Prefix of these files in the bucket, before the account's identifier. */
export const EXPORTS_PREFIX = 'person-exports/';

/** The data in an export of each range of passes; also the names of its files, in the order of the archive. */
export const EXPORT_PARTS = ['passes', 'scans', 'messages', 'events'] as const;
export type ExportPart = (typeof EXPORT_PARTS)[number] | 'images';

const HOUR_MS = 3_600_000;
const FILES_AT_ONCE = 5;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Name of the files with data that belongs to no pass of the person. */
export const APART = 'apart';

/** The place of an export: its account and process. */
export interface ExportPlace {
  accountId: string;
  processId: string;
}

const folderOf = ({ accountId, processId }: ExportPlace) => `${EXPORTS_PREFIX}${accountId}/${processId}/`;

/**
 * Stores the data of a range, encrypted, under a name that no other attempt uses. A part without items gets no file.
 */
export async function storeParts(
  ctx: AccountContext,
  place: ExportPlace,
  name: string,
  parts: Record<ExportPart, unknown[]>,
): Promise<void> {
  const folder = folderOf(place);
  const files = Object.entries(parts).filter(([, items]) => items.length > 0);
  await mapConcurrent(files, FILES_AT_ONCE, async ([part, items]) => {
    const key = `${folder}${name}/${part}`;
    const sealed = sealFile(ctx.env, key, encoder.encode(JSON.stringify(items)));
    await withRetries(() => ctx.env.FILES.put(key, sealed));
  });
}

/** Deletes the files that `storeParts` stored. */
export async function dropParts(ctx: AccountContext, place: ExportPlace, name: string): Promise<void> {
  const folder = folderOf(place);
  const parts: ExportPart[] = [...EXPORT_PARTS, 'images'];
  await withRetries(() => ctx.env.FILES.delete(parts.map((part) => `${folder}${name}/${part}`)));
}

/** Returns a part of a range; empty if it has no file. */
export async function readPart(
  ctx: Pick<Context, 'env'>,
  place: ExportPlace,
  name: string,
  part: ExportPart,
): Promise<unknown[]> {
  const key = `${folderOf(place)}${name}/${part}`;
  const sealed = await (await ctx.env.FILES.get(key))?.bytes();
  return sealed ? (JSON.parse(decoder.decode(unsealFile(ctx.env, key, sealed))) as unknown[]) : [];
}

/** Whether all data is stored, ranges with their passes: an erasure deletes exports, including those under way. */
export async function isWhole(ctx: Pick<Context, 'env'>, place: ExportPlace, names: string[]): Promise<boolean> {
  const prefix = folderOf(place);
  const stored = new Set<string>();
  let cursor: string | undefined;
  do {
    const listed: R2Objects = await ctx.env.FILES.list({ prefix, cursor });
    for (const { key } of listed.objects) stored.add(key.slice(prefix.length));
    cursor = listed.truncated ? listed.cursor : undefined;
  } while (cursor);
  return names.every((name) => stored.has(`${name}/${name === APART ? 'messages' : 'passes'}`));
}

/** Deletes the files of all exports of the account. Returns the number of exports. */
export async function deleteExports(ctx: AccountContext): Promise<number> {
  const prefix = `${EXPORTS_PREFIX}${ctx.account.id}/`;
  const exports = new Set<string>();
  for (;;) {
    const { objects } = await ctx.env.FILES.list({ prefix });
    if (objects.length === 0) return exports.size;
    for (const { key } of objects) exports.add(key.slice(prefix.length).split('/')[0]!);
    await ctx.env.FILES.delete(objects.map(({ key }) => key));
  }
}

/** Cron task: once an hour, deletes the files of exports whose links have expired. Files are older than their links. */
export async function purgeExports(ctx: Pick<Context, 'env'>, now = Date.now()): Promise<void> {
  if (new Date(now).getUTCMinutes() !== 0) return;
  await purgeFiles(ctx.env.FILES, EXPORTS_PREFIX, now - (EXPORT_HOURS + 1) * HOUR_MS);
}
