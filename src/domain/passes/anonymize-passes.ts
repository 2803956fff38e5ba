import { sql } from 'drizzle-orm';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { deleteMessagesOf } from '../messages/delete-messages.ts';
import { requestPushes } from '../pushes/request-pushes.ts';
import type { Ledger } from './bulk/bulk-item.ts';
import { writeChanges } from './bulk/bulk-write.ts';
import { planChange } from './change-pass.ts';
import { requestErasures } from './deletion/erasures.ts';
import type { DefinedPass } from './find-pass.ts';
import { isOfAccount } from './own-pass.ts';
import { type Pass, passes } from './table.ts';
import { defaultBarcode } from './values/pass-values.ts';

/** Returns the pass without its holder's data, and outside of `bundles`. The barcode value stays. */
export function withoutHolder(pass: Pass, bundles: ReadonlySet<string>): Pass {
  const { colors, eligibleValidationPlaces } = pass.appearance;
  return {
    ...pass,
    ...(pass.bundleId !== null && bundles.has(pass.bundleId) && { bundleId: null, bundlePageToken: null }),
    userProvidedId: null,
    barcodeAlternativeText: null,
    groupingIdentifier: null,
    emailRecipient: null,
    phoneRecipient: null,
    downloadPin: null,
    properties: {},
    appearance: { ...(colors && { colors }), ...(eligibleValidationPlaces && { eligibleValidationPlaces }) },
    flight: null,
    pushText: null,
  };
}

export interface AnonymousOptions {
  ledger: Ledger;
  /** Whether a running process may still add the passes' names. */
  shouldKeepNames: boolean;
  /** Bundles that the passes leave. */
  bundles: ReadonlySet<string>;
}

/**
 * Removes the holders' data from passes, with the usual events and pushes, and requests its erasure everywhere else.
 * Returns the items whose passes changed concurrently; the caller has to decide them again.
 */
export async function anonymizePasses(
  ctx: AccountContext,
  items: { seq: number; found: DefinedPass }[],
  { ledger, shouldKeepNames, bundles }: AnonymousOptions,
): Promise<number[]> {
  const ids = sql`(select value from json_each(${JSON.stringify(items.map(({ found }) => found.pass.id))}))`;
  const selected = sql`${passes.id} in ${ids} and ${isOfAccount(ctx.account.id)}`;
  const hasTexts = sql`${selected} and ${passes.googleHasMessages} = 1`;
  await commit(ctx, [
    requestErasures(ctx, selected, { isForced: true, shouldKeepNames }),
    deleteMessagesOf(ctx, ids, sql`true`),
    // Messages to the holder stay in Google's object unless it is replaced as if it had none.
    requestPushes(ctx, { selected: hasTexts, wallets: ['google'] }),
    ctx.db.update(passes).set({ googleHasMessages: false }).where(hasTexts),
  ]);
  const changes = await Promise.all(
    items.map(async ({ seq, found }) => {
      const pass = withoutHolder(found.pass, bundles);
      pass.barcodeValue = await defaultBarcode(ctx, found.definition, pass);
      const change = planChange(ctx, found, { pass });
      return change && { seq, change };
    }),
  );
  const open = changes.filter((change) => change !== undefined);
  const { applied, refused } = await writeChanges(ctx, open, ledger);
  const [error] = refused.values();
  if (error) throw error;
  return open.map(({ seq }) => seq).filter((seq) => !applied.has(seq));
}
