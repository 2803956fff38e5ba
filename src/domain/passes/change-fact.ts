import { type SQL, sql } from 'drizzle-orm';
import { canonicalJson } from '../../platform/json.ts';
import type { AccountContext } from '../context.ts';
import { appendFacts } from '../pass-facts/append-facts.ts';
import { encodeFact, factActor } from '../pass-facts/facts.ts';
import { IS_HELD } from '../pushes/request-pushes.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { FIELD_OF, type PassColumn } from './changed-columns.ts';
import type { DefinedPass } from './find-pass.ts';
import { isOwnPass } from './own-pass.ts';
import { type Pass, passes } from './table.ts';

/** API names of the columns. Columns that no caller writes, because they follow from a change, are left out. */
const MEMBER_OF: Partial<Record<PassColumn, string>> = {
  ...FIELD_OF,
  barcodeValue: 'barcodeValue',
  redeemed: 'redeemed',
  templateId: 'templateId',
  placesUsedAt: 'placesUsedAt',
  pushText: 'pushNotificationText',
  pageToken: 'links',
  // A usage is a change only if it ends the locations of the pass.
  lastUsageAt: 'locations',
};

const IMAGE_MEMBERS = { thumbnail: 'urlToThumbnail', background: 'urlToBackground', logo: 'urlToLogo' };

/** Change of a pass, as input of its fact. */
interface FactOfChange {
  before: Pass;
  after: Pick<DefinedPass, 'pass' | 'definition'>;
  columns: PassColumn[];
  /** Whether holders see the change. */
  changesAppearance: boolean;
}

/** Encodes a change as the timeline of the pass shows it. */
export function changeFact(ctx: AccountContext, { before, after, columns, changesAppearance }: FactOfChange): string {
  const { pass, definition } = after;
  const members = changedMembers(before, pass, columns, definition);
  const [at, actor] = [Date.now(), factActor(ctx)];
  return encodeFact({ type: 'changed', at, actor, version: pass.version, isShown: changesAppearance, members });
}

/**
 * Builds the statement that adds the fact to the timeline of a pass if `applies` holds. If holders see the change and a
 * wallet has the pass, the push carries the fact instead, at no extra cost.
 */
export function noteChange(
  ctx: AccountContext,
  passId: string,
  { fact, isShown, applies }: { fact: string; isShown: boolean; applies: SQL },
) {
  const hasPendingPush = sql`exists (select 1 from ${passes} where ${isOwnPass(ctx.account.id, passId)} and ${IS_HELD})`;
  const isAlone = isShown ? sql`and not ${hasPendingPush}` : sql``;
  return appendFacts(
    ctx,
    ctx.account.id,
    sql`select ${passId} as pass_id, ${fact} as facts where ${applies} ${isAlone}`,
  );
}

/**
 * Returns the names of the members that differ. Values may be personal and are left out, except that `voided` becomes
 * `unvoided` when it turns false.
 */
function changedMembers(
  before: Pass,
  after: Pass,
  columns: PassColumn[],
  { additionalProperties }: Pick<StoredDefinition, 'additionalProperties'>,
): string[] {
  const names = new Map(additionalProperties.map(({ id, name }) => [id, name]));
  return columns.flatMap((column) => {
    if (column === 'properties') return differing(before.properties, after.properties).map((id) => names.get(id) ?? id);
    if (column === 'flight') return differing(before.flight ?? {}, after.flight ?? {});
    if (column === 'appearance') return appearanceMembers(before.appearance, after.appearance);
    if (column === 'voided') return after.voided ? 'voided' : 'unvoided';
    return MEMBER_OF[column] ?? [];
  });
}

function appearanceMembers(before: Pass['appearance'], after: Pass['appearance']): string[] {
  const images = differing(before.images ?? {}, after.images ?? {}) as (keyof typeof IMAGE_MEMBERS)[];
  const others = { localizedBackgrounds: 'localizedBackgroundImages', locations: 'locations' } as const;
  return [
    ...differing(before.colors ?? {}, after.colors ?? {}),
    ...images.map((image) => IMAGE_MEMBERS[image]),
    ...differing(before, after).flatMap((name) =>
      name === 'eligibleValidationPlaces' ? name : (others[name as keyof typeof others] ?? []),
    ),
  ];
}

/** Returns the keys whose values differ between two objects. */
function differing(before: object, after: object): string[] {
  const [old, next] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  return keys.filter((key) => canonicalJson(old[key]) !== canonicalJson(next[key]));
}
