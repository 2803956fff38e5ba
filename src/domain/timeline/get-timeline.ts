import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { BatchPart } from '../../platform/batch-part.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { apiKeys } from '../api-keys/table.ts';
import { appConfigurationLinks, appConfigurations } from '../app-configurations/table.ts';
import { storedReason } from '../app-scans/table.ts';
import { type AccountContext, inDirectory } from '../context.ts';
import { decodeFact, type Fact, type FactActor, listFacts } from '../pass-facts/facts.ts';
import { FACT_RETENTION_MS } from '../pass-facts/purge-facts.ts';
import { deviceLabel } from '../registrations/find-device-pass.ts';
import { memberships, users } from '../users/table.ts';
import { versionNumber } from '../versions.ts';
import type { TimelineDetails, TimelineEntry, TimelineWallet } from './timeline-entry.ts';
import { type FactsRow, factQueries, type SourceRow, type TimelinePage, timelineQueries } from './timeline-queries.ts';
import type { ReadTimeline } from './verdict.ts';

/** Format of an entry's identifier: its time, and its key in its source. */
export const ENTRY_ID = /^(\d{1,15})-([\w-]{1,80})$/;

const KEY_CHARS = 16;

/** Returns the place after an entry; undefined for a text that is not an entry's identifier. */
export function parsePlace(id: string): TimelinePage['before'] {
  const [, at, key] = ENTRY_ID.exec(id) ?? [];
  return at && key ? { at: Number(at), key } : undefined;
}

/** A page of a timeline. */
interface Timeline {
  entries: TimelineEntry[];
  /** What was read for it, including what did not fit on the page. */
  read: ReadTimeline;
}

/** Builds the queries for a page of a pass's timeline, newest first, for a batch with others; see `getTimeline`. */
export function timelinePart(ctx: AccountContext, passId: string, page: TimelinePage): BatchPart<Promise<Timeline>> {
  const facts = factQueries(ctx, passId, page);
  return {
    queries: [...facts, ...timelineQueries(ctx, passId, page)],
    read: (results) =>
      toEntries(
        ctx,
        page,
        (results.slice(0, facts.length) as FactsRow[][]).flat(),
        (results.slice(facts.length) as SourceRow[][]).flat(),
      ),
  };
}

/**
 * Returns a page of the timeline of a pass, newest first: changes and their actors, notified devices, answers of push
 * services, devices' requests, and downloaded versions. Two round trips, the second one for the names of the actors. A
 * pass of another account has no entries.
 */
export async function getTimeline(ctx: AccountContext, passId: string, page: TimelinePage): Promise<Timeline> {
  const { queries, read } = timelinePart(ctx, passId, page);
  const [first, ...others] = queries;
  return read(await ctx.db.batch([first!, ...others]));
}

/** An entry before its identifier is built. */
type Placed = TimelineDetails & { key: string; at: number };

async function toEntries(
  ctx: AccountContext,
  { before, limit }: TimelinePage,
  facts: FactsRow[],
  rows: SourceRow[],
): Promise<Timeline> {
  const stored = facts.flatMap((row) => listFacts(row.facts));
  const noted = stored.flatMap((one) => placedFact(one) ?? []);
  const isBehind = (one: Placed) => !before || one.at < before.at || (one.at === before.at && one.key < before.key);
  // A push that was requested again while it was sent may have stored the same fact twice.
  const known = await Promise.all(rows.map(placedRow));
  const different = new Map(noted.filter(isBehind).map((one) => [`${one.at}-${one.key}`, one]));
  const placed = [...different.values(), ...known]
    .sort((one, other) => other.at - one.at || (one.key < other.key ? 1 : -1))
    .slice(0, limit);
  const nameOf = await findActors(
    ctx,
    placed.flatMap((one) => ('actor' in one && one.actor) || []),
  );
  const entries = placed.map(({ key, ...entry }) => ({
    ...entry,
    ...('actor' in entry && entry.actor && { actor: { ...entry.actor, name: nameOf(entry.actor) } }),
    id: `${entry.at}-${key}`,
  }));
  return { entries, read: { facts: stored.flatMap((one) => decodeFact(one) ?? []), rows: known } };
}

function placedFact(stored: unknown): Placed | undefined {
  const fact = decodeFact(stored);
  if (!fact || fact.at < Date.now() - FACT_RETENTION_MS) return undefined;
  const key = createHash('sha256').update(JSON.stringify(stored)).digest('hex').slice(0, KEY_CHARS);
  return { key, at: fact.at, ...factDetails(fact) };
}

function factDetails({ at: _, ...fact }: Fact): TimelineDetails {
  switch (fact.type) {
    case 'changed':
      return { ...fact, actor: { ...fact.actor, name: null } };
    case 'apple_answered': {
      const { cause, answers: devices, reason } = fact;
      return { type: 'push_answered', wallet: 'apple', cause, devices, reason };
    }
    case 'google_answered':
      return { ...fact, type: 'push_answered', wallet: 'google' };
    default:
      return fact;
  }
}

async function placedRow({ key, at, ...row }: SourceRow): Promise<Placed> {
  return { key, at, ...(await rowDetails(row)) };
}

const VOIDING: Record<string, string[]> = { pass_voided: ['voided'], pass_unvoided: ['unvoided'] };

async function rowDetails({ source, a, b, c }: Omit<SourceRow, 'key' | 'at'>): Promise<TimelineDetails> {
  const [text, other] = [String(a), String(b)];
  switch (source) {
    case 'created':
      return { type: 'created' };
    case 'event':
      return { type: 'changed', actor: null, members: VOIDING[text] ?? [] };
    case 'published':
      return { type: 'template_published', templateVersion: versionNumber(Number(a)) };
    case 'scan':
      return { type: 'scanned', reason: storedReason(text), isUndone: b === 1, deviceName: c as string | null };
    case 'message':
      return { type: 'message', channel: text, status: other, recipient: String(c) };
    case 'added':
    case 'removed': {
      const [wallet, active] = text.split(' ') as [TimelineWallet, string?];
      const device = wallet === 'apple' ? await deviceLabel({ deviceId: other, passTypeId: String(c) }) : undefined;
      if (source === 'removed') return { type: 'device_removed', wallet, device };
      return { type: 'device_added', wallet, device, isActive: active === 'active' };
    }
    case 'image':
      return { type: 'image_failed', member: text, reason: other };
    case 'push':
      return { type: 'push_pending', wallet: text as TimelineWallet, attempts: Number(b), text: c as string | null };
  }
}

/**
 * Finds the current names of actors: the name of an API key, the address of a member, the configuration of a scanner
 * link; null for a deleted one. One round trip, none if only the caller is to be named. Members are read in parallel if
 * the account lives outside the directory.
 */
async function findActors(ctx: AccountContext, actors: FactActor[]): Promise<(actor: FactActor) => string | null> {
  const { actor: caller } = ctx;
  const names = new Map(caller?.id ? [[caller.id, caller.name]] : []);
  const nameOf = ({ id }: FactActor) => (id === null ? null : (names.get(id) ?? null));
  const ids = [...new Set(actors.flatMap(({ id }) => id ?? []))].filter((id) => !names.has(id));
  if (ids.length === 0) return nameOf;
  const wanted = sql`(select value from json_each(${JSON.stringify(ids)}))`;
  const own = ctx.account.id;
  const directory = inDirectory(ctx);
  const members = sql`select ${users.id}, ${users.email} as name from ${memberships} cross join ${users} on ${users.id} = ${memberships.userId}
        where ${memberships.userId} in ${wanted} and ${memberships.accountId} = ${own}`;
  const isTogether = directory.db === ctx.db;
  const elsewhere = isTogether ? [] : rawStatement<{ id: string; name: string }>(directory.db, members);
  const here = rawStatement<{ id: string; name: string }>(
    ctx.db,
    sql`select id, name from ${apiKeys} where id in ${wanted} and +account_id = ${own}
      ${isTogether ? sql`union all ${members}` : sql``}
      union all select ${appConfigurationLinks.id}, ${appConfigurations.name} from ${appConfigurationLinks}
        join ${appConfigurations} on ${appConfigurations.id} = ${appConfigurationLinks.configurationId}
        where ${appConfigurationLinks.id} in ${wanted} and +${appConfigurationLinks.accountId} = ${own}`,
  );
  for (const { id, name } of (await Promise.all([here, elsewhere])).flat()) names.set(id, name);
  return nameOf;
}
