import { sql } from 'drizzle-orm';
import { slicesOf } from '../../../platform/chunks.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../../certificates/find-google-issuer.ts';
import { checked } from '../../check.ts';
import { commit } from '../../commit.ts';
import type { AccountContext } from '../../context.ts';
import { DomainError, fieldIssue } from '../../errors.ts';
import { creationMessages, type NewMessage } from '../../messages/request-messages.ts';
import { suspended, suspensionQuery } from '../../suspended.ts';
import { type DefinedTemplate, newestDefinitionQuery, toDefinedTemplate } from '../../templates/get-template.ts';
import { claimBundleLink, linkToBundle } from '../bundle-link.ts';
import { createRules, createStatements, newPass } from '../create-pass.ts';
import { offerToGoogle } from '../google/google-object.ts';
import { passJobs } from '../images/pass-images.ts';
import { isOwnPass } from '../own-pass.ts';
import { type Rule, refusal } from '../rules.ts';
import { type BundleLink, type Pass, passes } from '../table.ts';
import { PassFields } from '../values/pass-fields.ts';
import { type FailedItem, type Ledger, notedItems } from './bulk-item.ts';
import { isolateFailures, type Written } from './bulk-write.ts';

/** Pass to create. */
export interface CreateItem {
  seq: number;
  /** ID of the new pass, the same in every attempt, so that only one attempt creates it. */
  passId: string;
  /** Writable fields, additional properties and flight fields as the caller sent them. */
  sent: Record<string, unknown>;
}

/** Pass that is ready to be written. */
export interface PlannedPass {
  seq: number;
  pass: Pass;
  fields: PassFields;
  rules: Rule[];
  messages: NewMessage[];
}

/** Creates per batch; a create is up to eight statements. */
const CREATES_MAX = 25;

/**
 * Maximum number of rounds. From the second round on, an item has succeeded in another attempt or is refused. More
 * rounds are needed only while the reasons for refusal change.
 */
const ROUNDS_MAX = 10;

/**
 * Creates many passes from a template of the account, each exactly once per ledger, no matter how often this is called.
 * Returns the items that can't be created. Throws not found for the template and `suspended`. Also throws if D1 fails
 * or the template is too contended; call it again then.
 */
export async function createPasses(
  ctx: AccountContext,
  templateId: string,
  items: CreateItem[],
  ledger: Ledger,
): Promise<FailedItem[]> {
  const failed: FailedItem[] = [];
  let open = items;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const { template, issuer, applied, bundles } = await read(ctx, templateId, open, ledger);
    const planned: PlannedPass[] = [];
    for (const item of open.filter(({ seq }) => !applied.has(seq))) {
      const result = await planPass(ctx, template, item, bundles);
      if (result instanceof DomainError) failed.push({ seq: item.seq, issues: result.issues });
      else planned.push({ ...result, pass: offerToGoogle(result.pass, template.definition, issuer) });
    }
    const written = await write(ctx, template, planned, ledger);
    for (const [seq, error] of written.refused) failed.push({ seq, issues: error.issues });
    const later = new Set<number>();
    for (const { seq, rules } of planned) {
      if (written.applied.has(seq) || written.refused.has(seq)) continue;
      const refused = round > 1 ? await refusal(ctx, rules) : undefined;
      if (refused) failed.push({ seq, issues: refused.issues });
      else later.add(seq);
    }
    open = open.filter(({ seq }) => later.has(seq));
    if (open.length === 0) return failed;
  }
  throw new Error(`The template of ${open.length} passes is being used by many requests at once`);
}

async function read(ctx: AccountContext, templateId: string, items: CreateItem[], ledger: Ledger) {
  const named = items.map(({ sent }) => sent.bundleId).filter((id) => /^(string|number|boolean)$/.test(typeof id));
  const bundleIds = [...new Set(named.map(String))];
  const [templateRows, issuers, noted, held, ...links] = await ctx.db.batch([
    newestDefinitionQuery(ctx, templateId),
    googleIssuerQuery(ctx.db, ctx.account.id),
    ledger.query(),
    suspensionQuery(ctx),
    ...bundleIds.flatMap((bundleId) => claimBundleLink(ctx, bundleId)),
  ]);
  if (held.length > 0) throw suspended();
  return {
    template: toDefinedTemplate(templateRows[0]),
    issuer: chooseGoogleIssuer(issuers),
    applied: notedItems(noted),
    bundles: new Map<unknown, BundleLink[] | undefined>(bundleIds.map((id, i) => [id, links[i]])),
  };
}

/** Returns the planned pass of an item, or its error. */
export async function planPass(
  ctx: AccountContext,
  template: DefinedTemplate,
  { seq, passId, sent }: CreateItem,
  bundles: Map<unknown, BundleLink[] | undefined>,
): Promise<PlannedPass | DomainError> {
  try {
    const fields = checked(PassFields, sent);
    const pass = linkToBundle(ctx, await newPass(ctx, template, fields, sent, passId), bundles.get(fields.bundleId));
    const messages = creationMessages(ctx, template.definition, pass);
    return { seq, pass, fields, rules: createRules(ctx, pass, template, fields), messages };
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

async function write(
  ctx: AccountContext,
  template: DefinedTemplate,
  planned: PlannedPass[],
  ledger: Ledger,
): Promise<Written> {
  const written: Written = { applied: new Set(), refused: new Map() };
  const shown = ({ pass }: PlannedPass) => ({ pass, definition: template.definition });
  for (const piece of slicesOf(planned, CREATES_MAX)) {
    await isolateFailures(ctx, piece, (some) => insert(ctx, template, some, ledger), shown, written);
  }
  return written;
}

async function insert(
  ctx: AccountContext,
  template: DefinedTemplate,
  planned: PlannedPass[],
  ledger: Ledger,
): Promise<number[]> {
  const statements = planned.map(({ pass, fields, rules, messages }) => {
    const isNew = sql`not exists (select 1 from ${passes} where ${isOwnPass(ctx.account.id, pass.id)})`;
    const all = [{ holds: isNew, issue: fieldIssue('', 'Is being created') }, ...rules];
    return createStatements(ctx, pass, template, fields, all, messages);
  });
  const promised = JSON.stringify(planned.map(({ seq, pass }) => [seq, pass.id]));
  // Nobody else uses these IDs, so passes that exist after the batch have been created.
  const created = sql`select item.value ->> 0 as seq from json_each(${promised}) as item
    join ${passes} on ${isOwnPass(ctx.account.id, sql`item.value ->> 1`)}`;
  const batch = [...statements.flat(), ledger.note(created)];
  const inserted = (results: unknown[][]) => {
    let start = 0;
    return planned.filter((_, i) => {
      const [row] = results[start]!;
      start += statements[i]!.length;
      return row !== undefined;
    });
  };
  const results = await commit(ctx, batch, (committed) =>
    inserted(committed).flatMap(({ pass, messages }) => passJobs(pass, pass.appearance.pendingImages, messages)),
  );
  return inserted(results).map(({ seq }) => seq);
}
