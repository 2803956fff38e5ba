import { and, eq, lte, or, sql } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { ROW_BYTES_MAX } from '../../platform/db.ts';
import { purgeFiles } from '../../platform/purge-files.ts';
import { decrypt, encrypt } from '../../platform/sealed-text.ts';
import { retryUntilSettled, withRetries } from '../../platform/transient-error.ts';
import type { AccountContext, Context, RepeatableRequest } from '../context.ts';
import { DomainError, fieldIssue } from '../errors.ts';
import { livesHere } from '../moved.ts';
import { passes } from '../passes/table.ts';
import { PAGE_ROWS, purge, runInPages } from '../purge.ts';
import { idempotencyKeys, replySubjects } from './table.ts';

const RETENTION_MS = 24 * 60 * 60_000;

/** An older request without a reply died with its Worker (a request has 30 s of CPU). Its key can be used again. */
const ABANDONED_MS = 5 * 60_000;

/** Leaves the rest of a row's limit to its other columns. */
const BODY_BYTES_IN_ROW_MAX = ROW_BYTES_MAX - 16 * 1024;
/** Value of `body` if the body is larger, and stored in a file. */
const IN_FILE = 'file';
/** Prefix of these files in the bucket, before the account's identifier. */
export const REPLIES_PREFIX = 'idempotent-replies/';

/** Status of a kept reply that was erased with its pass. */
export const ERASED_STATUS = 410;

/** A reply that is kept for repeats. */
export interface KeptReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A key that a request has claimed. A later request can claim it once this one counts as abandoned. */
export interface ClaimedKey {
  key: string;
  /** When the request began; identifies its claim. */
  startedAt: number;
}

/** The result of claiming a key: the reply of the first request, or the request that must run. */
export type Claim =
  | { kept: KeptReply; repeatable?: undefined; claimed?: undefined }
  | { kept?: undefined; repeatable: RepeatableRequest; claimed: ClaimedKey };

/**
 * Claims a key for a request. Returns the reply of the first request, or the request to run: the first, or a repeat if
 * there is no reply. Of simultaneous requests, one gets the key. Throws `unprocessable` for a key of another request or
 * a reply erased with its pass, and `conflict` while a request is running.
 */
export async function claimRequest(ctx: AccountContext, key: string, requestDigest: string): Promise<Claim> {
  const now = Date.now();
  const accountId = ctx.account.id;
  const { startedAt, firstStartedAt } = idempotencyKeys;
  const isOver = lte(startedAt, now - RETENTION_MS);
  const first = sql`coalesce(${firstStartedAt}, ${startedAt})`;
  const claim = ctx.db
    .insert(idempotencyKeys)
    .values({ accountId, key, requestDigest, startedAt: now, firstStartedAt: now })
    .onConflictDoUpdate({
      target: [idempotencyKeys.accountId, idempotencyKeys.key],
      set: {
        requestDigest,
        // Later than the first request, even within the same millisecond: this identifies a repeat.
        startedAt: sql`iif(${isOver}, ${now}, max(${now}, ${first} + 1))`,
        firstStartedAt: sql`iif(${isOver}, ${now}, ${first})`,
        status: null,
        headers: null,
        body: null,
      },
      setWhere: or(isOver, and(sql`${idempotencyKeys.status} is null`, lte(startedAt, now - ABANDONED_MS))),
    })
    .returning({ key: idempotencyKeys.key });
  const existing = ctx.db
    .select()
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.key, key)));
  let isAgain = false;
  const [claimed, [row]] = await retryUntilSettled((attempt) => {
    isAgain = attempt > 1;
    return ctx.db.batch([claim, existing]);
  });
  if (!row) throw new Error('a key that was claimed is gone');
  // A claim whose response was lost is ours, too. If it belongs to a simultaneous equal request, both run, and what
  // they create has the same identifiers.
  const isOurs = isAgain && row.status === null && row.requestDigest === requestDigest && row.startedAt >= now;
  if (claimed.length > 0 || isOurs) {
    const seed = await sha256(JSON.stringify([accountId, key, requestDigest]));
    const since = row.firstStartedAt ?? row.startedAt;
    const repeatable = { seed, since, isRepeat: isAgain || row.startedAt !== since };
    return { repeatable, claimed: { key, startedAt: row.startedAt } };
  }
  if (row.requestDigest !== requestDigest) {
    throw refusal('unprocessable', 'was used for a different request');
  }
  if (row.status === null) {
    throw refusal('conflict', 'the first request with this key is still running');
  }
  if (row.status === ERASED_STATUS) {
    throw refusal('unprocessable', 'its reply was deleted together with its pass');
  }
  return { kept: { status: row.status, headers: row.headers ?? {}, body: await openBody(ctx, key, row.body) } };
}

const refusal = (kind: 'unprocessable' | 'conflict', message: string) =>
  new DomainError(kind, fieldIssue('Idempotency-Key', message));

/** Returns the text of a kept reply; `kept` is the body in its row. */
export async function openBody(ctx: AccountContext, key: string, kept: string | null): Promise<string> {
  if (kept === null) return '';
  const sealed =
    kept === IN_FILE ? await (await ctx.env.FILES.get(await replyFile(ctx.account.id, key)))?.text() : kept;
  if (sealed === undefined) throw new Error('the file of a kept reply is gone');
  return decrypt(ctx.env, ownerOf(ctx, key), sealed);
}

/**
 * Keeps the reply of the first request for its repeats. Encrypts it: some replies show a secret that is stored only as
 * a digest. Retries it: without a reply, a repeat of an abandoned request would run again. Does nothing if another
 * request has claimed the key since.
 */
export async function keepReply(ctx: AccountContext, claimed: ClaimedKey, reply: KeptReply): Promise<void> {
  const { key } = claimed;
  let body = reply.body === '' ? null : await encrypt(ctx.env, ownerOf(ctx, key), reply.body);
  // Base64 has one byte per character.
  if (body !== null && body.length > BODY_BYTES_IN_ROW_MAX) {
    // The file has the name of the key, so it can't be replaced under a condition.
    if (!(await withRetries(() => isHeld(ctx, claimed)))) return;
    const [file, content] = [await replyFile(ctx.account.id, key), body];
    await withRetries(() => ctx.env.FILES.put(file, content));
    body = IN_FILE;
  }
  const kept = ctx.db
    .update(idempotencyKeys)
    .set({ ...reply, body })
    .where(ofClaim(ctx, claimed));
  const named = [...new Set(reply.body.match(UUIDS_PATTERN))];
  const canHoldPersonalData = named.length > 0 || (reply.body !== '' && reply.status !== STARTED);
  await withRetries(async () =>
    canHoldPersonalData ? ctx.db.batch([kept, noteSubjects(ctx, claimed, reply, named)]) : kept,
  );
}

const UUIDS_PATTERN = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Status of a reply that names a process, and holds no personal data. */
const STARTED = 202;

/**
 * Builds the statement that records which passes a reply names; its identifiers may also name other things. A reply
 * that names no pass may still hold personal data: the account takes the place of the pass.
 */
function noteSubjects(ctx: AccountContext, claimed: ClaimedKey, { status }: KeptReply, named: string[]) {
  const listed = named.length > 0 ? named : [''];
  const namesNone = status === STARTED ? sql`false` : sql`count(*) = ${listed.length}`;
  const isKept = sql`exists (select 1 from ${idempotencyKeys} where ${ofClaim(ctx, claimed)})`;
  return ctx.db
    .insert(replySubjects)
    .select(
      sql`select coalesce(${passes.id}, ${ctx.account.id}), ${ctx.account.id}, ${claimed.key}, ${Date.now()}
        from json_each(${JSON.stringify(listed)}) as named
        left join ${passes} on ${passes.id} = named.value and ${passes.accountId} = ${ctx.account.id}
        where ${isKept} group by ${passes.id} having ${passes.id} is not null or ${namesNone}`,
    )
    .onConflictDoNothing();
}

/**
 * Frees a key whose request failed on our side, so that a repeat tries again. The row stays, so that the repeat finds
 * what the request created before it failed. Does nothing if another request has claimed the key since.
 */
export async function releaseRequest(ctx: AccountContext, claimed: ClaimedKey): Promise<void> {
  const startedAt = Date.now() - ABANDONED_MS;
  await withRetries(async () => ctx.db.update(idempotencyKeys).set({ startedAt }).where(ofClaim(ctx, claimed)));
}

async function isHeld(ctx: AccountContext, claimed: ClaimedKey): Promise<boolean> {
  const held = await ctx.db.select({ key: idempotencyKeys.key }).from(idempotencyKeys).where(ofClaim(ctx, claimed));
  return held.length > 0;
}

/** Returns the bucket key of a kept reply that is too large for a row. */
export async function replyFile(accountId: string, key: string): Promise<string> {
  return `${REPLIES_PREFIX}${accountId}/${await sha256(key)}`;
}

function ownerOf(ctx: AccountContext, key: string): string {
  return `${ctx.account.id}:${key}`;
}

function ofClaim(ctx: AccountContext, { key, startedAt }: ClaimedKey) {
  const isKey = and(eq(idempotencyKeys.accountId, ctx.account.id), eq(idempotencyKeys.key, key));
  return and(isKey, eq(idempotencyKeys.startedAt, startedAt));
}

/** Cron task: deletes keys after a day, and once an hour the files of large replies. */
export async function purgeIdempotencyKeys(ctx: Context, now = Date.now()): Promise<void> {
  await purge(ctx, idempotencyKeys, lte(idempotencyKeys.startedAt, now - RETENTION_MS));
  // Rows are stored in the order of time, so reading the first ones is enough.
  const first = sql`(select rowid, kept_at from ${replySubjects} where ${livesHere(replySubjects.accountId)}
    order by rowid limit ${PAGE_ROWS})`;
  const old = sql`rowid in (select rowid from ${first} where kept_at <= ${now - RETENTION_MS})`;
  await runInPages(async () => (await ctx.db.delete(replySubjects).where(old)).meta.changes, { enough: PAGE_ROWS });
  if (new Date(now).getUTCMinutes() === 0) await purgeFiles(ctx.env.FILES, REPLIES_PREFIX, now - RETENTION_MS);
}
