import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import type { Context } from '../context.ts';
import { passes } from '../passes/table.ts';
import { templates } from '../templates/table.ts';
import { type DeviceLibrary, isInLibrary } from './find-device-pass.ts';
import { registrations } from './table.ts';

/** Which passes of a device changed, in the words of Apple's protocol. */
export interface ChangedPasses {
  serialNumbers: string[];
  /** Tag to ask with the next time. */
  lastUpdated: string;
}

/** Hexadecimal digits that stand for the state of one pass in a tag. */
const STATE_CHARS = 16;
/** So many states make a tag of 4 KB, which travels in a URL; a larger library is known by one digest of all. */
const TAG_STATES_MAX = 256;

/**
 * A device's passes that changed since the tag `since` (all without one), or undefined. One round trip over the
 * device's own rows. The tag is a digest of versions, not a time, because clocks of different clients would lose
 * changes (docs/adr/0011-apple-update-tag.md). A deleted pass is listed once.
 */
export async function listChangedPasses(
  ctx: Context,
  library: DeviceLibrary,
  since: string | undefined,
): Promise<ChangedPasses | undefined> {
  const rows = await ctx.db
    .select({
      passId: registrations.passId,
      version: passes.version,
      revision: passes.revision,
      shown: sql<number | null>`max(${passes.templateVersion}, ${templates.publishedVersion})`.as('shown'),
    })
    .from(registrations)
    .leftJoin(passes, eq(passes.id, registrations.passId))
    .leftJoin(templates, eq(templates.id, passes.templateId))
    .where(and(isInLibrary(library), isNull(registrations.endedAt)))
    .orderBy(asc(registrations.passId));
  const states = await Promise.all(
    // Versions of pass and definition decide what a card shows; without a template there is none to show.
    rows.map(({ passId, version, revision, shown }) =>
      digest(shown === null ? passId : `${passId}:${version}:${revision}:${shown}`),
    ),
  );
  const lastUpdated = states.length > TAG_STATES_MAX ? await digest(states.join()) : states.join('');
  if (lastUpdated === since) return undefined;
  const told = new Set(since?.match(new RegExp(`.{${STATE_CHARS}}`, 'g')));
  const serialNumbers = rows.filter((_, i) => !told.has(states[i]!)).map(({ passId }) => passId);
  return serialNumbers.length > 0 ? { serialNumbers, lastUpdated } : undefined;
}

async function digest(text: string): Promise<string> {
  return (await sha256(text)).slice(0, STATE_CHARS);
}
