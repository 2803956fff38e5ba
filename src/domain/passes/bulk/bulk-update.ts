import type { AccountContext } from '../../context.ts';
import { DomainError, notFound } from '../../errors.ts';
import { suspended, suspensionQuery } from '../../suspended.ts';
import { claimBundleLink } from '../bundle-link.ts';
import { type Change, planChange } from '../change-pass.ts';
import type { DefinedPass } from '../find-pass.ts';
import { getMoveTarget } from '../move-pass.ts';
import type { BundleLink } from '../table.ts';
import type { TemplateOf } from '../tiers.ts';
import { nextState, sentBundle, type Update } from '../update-pass.ts';
import { namedPassesQuery, toDefinedPasses } from './bulk-find.ts';
import { type FailedItem, type Ledger, notedItems } from './bulk-item.ts';
import { type ItemChange, writeChanges } from './bulk-write.ts';

/** Pass to update, by a name that a path accepts. */
export interface UpdateItem {
  seq: number;
  name: string;
  update: Update;
}

/** Maximum number of attempts for items whose passes change concurrently. */
const ROUNDS_MAX = 20;

/**
 * Updates many passes of the account, each exactly once per ledger, no matter how often this is called. A round takes
 * two round trips: one reads passes and ledger, one batch writes. Returns the items that failed. Throws if D1 fails or
 * passes keep changing concurrently; call it again then.
 */
export async function updatePasses(ctx: AccountContext, items: UpdateItem[], ledger: Ledger): Promise<FailedItem[]> {
  const failed: FailedItem[] = [];
  const templateOf = rememberTemplates();
  let open = items;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { noted, found, bundles } = await read(ctx, open, ledger);
    const later: UpdateItem[] = [];
    const changes: ItemChange[] = [];
    const taken = new Set<string>();
    for (const [place, item] of open.entries()) {
      const pass = found.get(place);
      // The job that applied it may have died before it enqueued the follow-ups; the cron does that then.
      if (noted.has(item.seq)) continue;
      if (pass && taken.has(pass.pass.id)) {
        later.push(item);
      } else {
        if (pass) taken.add(pass.pass.id);
        const bundle = bundles.get(sentBundle(item.update.sent));
        const decided = await decideChange(ctx, { ...item.update, bundle }, pass, templateOf);
        if (decided instanceof DomainError) failed.push({ seq: item.seq, issues: decided.issues });
        else if (decided) changes.push({ seq: item.seq, change: decided });
      }
    }
    const written = await writeChanges(ctx, changes, ledger);
    for (const [seq, error] of written.refused) failed.push({ seq, issues: error.issues });
    const overtaken = new Set(
      changes.map(({ seq }) => seq).filter((seq) => !written.applied.has(seq) && !written.refused.has(seq)),
    );
    open = [...open.filter(({ seq }) => overtaken.has(seq)), ...later];
    if (open.length === 0) return failed;
  }
  throw new Error(`${open.length} passes are being changed by many requests at once`);
}

async function read(ctx: AccountContext, items: UpdateItem[], ledger: Ledger) {
  const bundleIds = [...new Set(items.flatMap(({ update }) => sentBundle(update.sent) ?? []))];
  const names = items.map(({ name }) => name);
  const [noted, held, rows, ...links] = await ctx.db.batch([
    ledger.query(),
    suspensionQuery(ctx),
    namedPassesQuery(ctx, names),
    ...bundleIds.flatMap((bundleId) => claimBundleLink(ctx, bundleId)),
  ]);
  if (held.length > 0) throw suspended();
  return {
    noted: notedItems(noted),
    found: await toDefinedPasses(ctx, rows),
    bundles: new Map<unknown, BundleLink[] | undefined>(bundleIds.map((id, i) => [id, links[i]])),
  };
}

/** Plans the change of an item: undefined if the pass already has the wanted state, an error if it is invalid. */
export async function decideChange(
  ctx: AccountContext,
  update: Update,
  found: DefinedPass | undefined,
  templateOf: TemplateOf,
): Promise<Change | DomainError | undefined> {
  if (!found) return notFound();
  try {
    return planChange(ctx, found, await nextState(ctx, found, update, { wait: false, templateOf }));
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** Creates a function that finds each template once. */
export function rememberTemplates(): TemplateOf {
  const found = new Map<string, ReturnType<TemplateOf>>();
  return (ctx, id) => {
    const known = found.get(id) ?? getMoveTarget(ctx, id);
    found.set(id, known);
    return known;
  };
}
