import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import { sha256 } from '../../platform/crypto.ts';
import { accounts } from '../accounts/table.ts';
import { endOfRenewal } from '../certificates/renewals.ts';
import { type Context, inAccount, inDatabase, isHere } from '../context.ts';
import { byMap } from '../databases/follow-moves.ts';
import { AccountMoved } from '../moved.ts';
import { recordAskedDevices } from '../pass-facts/asked-devices.ts';
import { encodeFact } from '../pass-facts/facts.ts';
import { passes } from '../passes/table.ts';
import { placesOfShard } from '../shard-map.ts';
import { templates } from '../templates/table.ts';
import { type DeviceLibrary, deviceLabel, isInLibrary } from './find-device-pass.ts';
import { registrations } from './table.ts';

/** Changed passes of a device, in the terms of Apple's protocol. */
export interface ChangedPasses {
  serialNumbers: string[];
  /** Tag for the next request. */
  lastUpdated: string;
}

/** Number of hexadecimal digits in a tag for the state of one pass. */
const STATE_CHARS = 16;
/** With this many states, a tag has 4 KB, which fits in a URL; a larger library has one digest of all states. */
const TAG_STATES_MAX = 256;

/**
 * Returns a device's passes of a shard that changed since the tag `since` (all without one), or undefined; a deleted
 * pass is listed once. One round trip; the request is then added to timelines. Tags are digests of versions, because
 * times lose changes if clocks differ (docs/adr/0011-apple-update-tag.md).
 */
export async function listChangedPasses(
  ctx: Context,
  library: DeviceLibrary & { shard: number },
  since: string | undefined,
): Promise<ChangedPasses | undefined> {
  const found = await byMap(ctx, async () => {
    // Includes accounts of the shard that were moved away.
    const places = placesOfShard(ctx.env, library.shard).map((name) => inDatabase(ctx, name));
    return Promise.all(places.map((there) => registeredIn(there, library)));
  });
  const rows = found.flat().sort((a, b) => (a.passId < b.passId ? -1 : 1));
  const states = await Promise.all(
    // The versions of pass and definition determine the card, and a renewed certificate changes its signature.
    rows.map(({ passId, version, revision, shown, renewedUntil }) =>
      digest(
        [
          passId,
          ...(shown === null ? [] : [version, revision, shown]),
          ...(renewedUntil === null ? [] : [renewedUntil]),
        ].join(':'),
      ),
    ),
  );
  const lastUpdated = states.length > TAG_STATES_MAX ? await digest(states.join()) : states.join('');
  if (lastUpdated === since) return undefined;
  const known = new Set(since?.match(new RegExp(`.{${STATE_CHARS}}`, 'g')));
  const listed = rows.filter((_, i) => !known.has(states[i]!));
  const serialNumbers = listed.map(({ passId }) => passId);
  await noteListed(ctx, library, listed);
  return serialNumbers.length > 0 ? { serialNumbers, lastUpdated } : undefined;
}

/** Returns the registered passes in one database. Throws `AccountMoved` if the map led to a copy of an account. */
async function registeredIn(ctx: Context, library: DeviceLibrary) {
  const renewedUntil = endOfRenewal(sql`${registrations.accountId}`, library.passTypeId);
  const rows = await ctx.db
    .select({
      passId: registrations.passId,
      accountId: registrations.accountId,
      isCopy: sql<number>`exists (select 1 from ${accounts} indexed by accounts_copies
        where ${accounts.id} = ${registrations.accountId} and lives_in is not null)`.as('is_copy'),
      version: passes.version,
      revision: passes.revision,
      renewedUntil: sql<number | null>`${renewedUntil}`.as('renewed_until'),
      shown: sql<number | null>`max(${passes.templateVersion}, ${templates.publishedVersion})`.as('shown'),
    })
    .from(registrations)
    .leftJoin(passes, eq(passes.id, registrations.passId))
    .leftJoin(templates, eq(templates.id, passes.templateId))
    .where(and(isInLibrary(library), isNull(registrations.endedAt)))
    .orderBy(asc(registrations.passId));
  return rows.filter(({ accountId, isCopy }) => {
    if (isCopy && isHere(ctx, accountId)) throw new AccountMoved(accountId);
    return !isCopy && isHere(ctx, accountId);
  });
}

/** Maximum number of facts per statement. */
const FACTS_AT_ONCE = 500;

async function noteListed(
  ctx: Context,
  library: DeviceLibrary,
  listed: { passId: string; accountId: string }[],
): Promise<void> {
  const fact = encodeFact({ type: 'device_asked', at: Date.now(), device: await deviceLabel(library) });
  for (const [accountId, ofAccount] of Map.groupBy(listed, (one) => one.accountId)) {
    for (const some of slicesOf(ofAccount, FACTS_AT_ONCE)) {
      recordAskedDevices(
        inAccount(ctx, accountId),
        accountId,
        some.map(({ passId }) => ({ passId, fact })),
      );
    }
  }
}

async function digest(text: string): Promise<string> {
  return (await sha256(text)).slice(0, STATE_CHARS);
}
