import type { BatchItem } from 'drizzle-orm/batch';
import { describeError, logLine } from '../../platform/log.ts';
import { decrypt, encrypt, sealedPrefix } from '../../platform/sealed-text.ts';
import { SCANNER_LINK_SECRETS } from '../app-configurations/sealed-columns.ts';
import { CERTIFICATE_SECRETS } from '../certificates/sealed-columns.ts';
import type { Context } from '../context.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { walkDatabases } from '../databases/walk-databases.ts';
import { invalidField } from '../errors.ts';
import { LINK_TOKENS } from '../passes/sealed-columns.ts';
import { countSealed, listStale, type SealedColumn, type SealedValue } from '../sealed-columns.ts';
import { SIGNING_KEY_SECRETS } from '../signing-keys/sealed-columns.ts';
import { WEBHOOK_SECRETS } from '../webhooks/sealed-columns.ts';

/** All encrypted columns, except replies of idempotent requests, which are deleted after a day. */
const COLUMNS: SealedColumn[] = [
  ...CERTIFICATE_SECRETS,
  ...SIGNING_KEY_SECRETS,
  ...WEBHOOK_SECRETS,
  ...SCANNER_LINK_SECRETS,
  ...LINK_TOKENS,
];

/** Texts per batch, and batches per call. */
const PAGE_TEXTS = 100;
const PAGES_MAX = 20;

/** Result of `rotateSecrets`. */
export interface RotatedSecrets {
  /** Texts that were encrypted again with the current key. */
  rotated: number;
  /** Texts that another write replaced meanwhile. */
  replaced: number;
  /** Texts that no key decrypts; the log names their rows. */
  unreadable: number;
  /** Texts in the database by the ID of their key; those of passes only at the end. Old texts have no ID. */
  texts: Record<string, number>;
  /** Where to continue; null: everything was checked. */
  next: string | null;
}

const WITHOUT_ID = 'without ID';

/**
 * Encrypts texts of other keys again with the current key, page by page from `after` (absent: from the start). A text
 * is replaced only if it has not changed since it was read. Repeating is safe. Throws `invalid` for an unknown place.
 */
export async function rotateSecrets(ctx: Context, after?: string): Promise<RotatedSecrets> {
  const prefix = sealedPrefix(ctx.env);
  const done = { rotated: 0, replaced: 0, unreadable: 0 };
  const place = after === undefined ? { column: 0, row: '' } : placeOf(after);
  for (let page = 0; page < PAGES_MAX; page++) {
    const column = COLUMNS[place.column];
    if (!column) return { ...done, texts: await countByKey(ctx, COLUMNS), next: null };
    const values = await listStale(ctx, column, { prefix, after: place.row, limit: PAGE_TEXTS });
    const rotated = await rotatePage(ctx, column, values);
    for (const outcome of Object.keys(done) as (keyof typeof done)[]) done[outcome] += rotated[outcome];
    if (values.length === PAGE_TEXTS) place.row = values.at(-1)!.row;
    else Object.assign(place, { column: place.column + 1, row: '' });
  }
  const column = COLUMNS[place.column];
  const counted = column ? COLUMNS.filter(({ isLarge }) => !isLarge) : COLUMNS;
  return { ...done, texts: await countByKey(ctx, counted), next: column ? `${column.name}:${place.row}` : null };
}

/** Does the same in all databases, one after another. At the end, `texts` counts those of all. */
export async function rotateAllSecrets(ctx: Context, after?: string): Promise<RotatedSecrets> {
  const together = (a: RotatedSecrets, b: RotatedSecrets) => ({
    ...b,
    rotated: a.rotated + b.rotated,
    replaced: a.replaced + b.replaced,
    unreadable: a.unreadable + b.unreadable,
  });
  const part = await walkDatabases(ctx, { after, work: rotateSecrets, together });
  if (part.next !== null) return part;
  const counts = await forEachDatabase(ctx, (home) => countByKey(home, COLUMNS));
  return { ...part, texts: counts.reduce(sumOf, {}) };
}

function sumOf(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const names = Object.keys({ ...a, ...b });
  return Object.fromEntries(names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}

async function rotatePage(ctx: Context, column: SealedColumn, values: SealedValue[]) {
  const fresh = await Promise.all(values.map((value) => resealed(ctx, column, value)));
  const statements = values.flatMap((value, i) => {
    const sealed = fresh[i];
    return sealed === undefined ? [] : [column.replace(ctx, value, sealed)];
  });
  const results = statements.length > 0 ? await ctx.db.batch(statements as [BatchItem<'sqlite'>]) : [];
  const rotated = (results as unknown[][]).reduce((sum, rows) => sum + rows.length, 0);
  const replaced = Math.max(0, statements.length - rotated);
  return { rotated, replaced, unreadable: values.length - statements.length };
}

/** Returns the same text under the current key, or undefined if no key decrypts it. */
async function resealed(
  ctx: Context,
  { name: column }: SealedColumn,
  { row, owner, sealed }: SealedValue,
): Promise<string | undefined> {
  try {
    return await encrypt(ctx.env, owner, await decrypt(ctx.env, owner, sealed));
  } catch (error) {
    logLine('error', { event: 'secret', requestId: ctx.requestId, column, row, error: describeError(error) });
    return undefined;
  }
}

async function countByKey(ctx: Context, columns: SealedColumn[]): Promise<Record<string, number>> {
  const [first, ...others] = columns.map((column) => countSealed(ctx, column));
  const counts = (await ctx.db.batch([first!, ...others])).flat();
  const texts: Record<string, number> = {};
  for (const { keyId, texts: found } of counts) {
    const name = keyId ?? WITHOUT_ID;
    texts[name] = (texts[name] ?? 0) + found;
  }
  return texts;
}

function placeOf(after: string): { column: number; row: string } {
  const end = after.indexOf(':');
  const column = COLUMNS.findIndex(({ name }) => name === after.slice(0, end));
  if (column < 0) throw invalidField('after', 'must be the value of "next" from an earlier run');
  return { column, row: after.slice(end + 1) };
}
