import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { formatDateTime } from '../../platform/dates.ts';
import { prepareQuery } from '../../platform/prepared-query.ts';
import { countScan } from '../app-configurations/count-scans.ts';
import { markUsed } from '../app-configurations/links.ts';
import type { AccountContext } from '../context.ts';
import { recordEvent } from '../events/record-event.ts';
import { changeStatements } from '../passes/change-pass.ts';
import { recordUsage } from '../passes/record-usage.ts';
import { searchString } from '../passes/search-index/search-string.ts';
import { passes } from '../passes/table.ts';
import { writeClaims } from '../passes/unique-values.ts';
import { namedProperties } from '../passes/values/property-values.ts';
import { writeOnce } from '../write-once.ts';
import { insertScan, type WrittenScan } from './insert-scan.ts';
import type { ScanPlan } from './scan-plan.ts';
import { ACCEPTED_STATUSES, type AppScan, appScans, UNKNOWN_STATUS } from './table.ts';
import { validityReasonOf } from './validity.ts';

/**
 * Writes a planned scan in one batch: the first statement decides by the current state, the others depend on it.
 * Undefined if the pass or configuration changed since the plan, or the scan is already stored. Throws `invalid` if the
 * pass would move to a template where its unique values are taken.
 */
export async function writeScan(ctx: AccountContext, id: string, plan: ScanPlan): Promise<WrittenScan | undefined> {
  // Wraps the single write, not the loop: under contention, each caller makes many attempts.
  return writeOnce(
    {},
    () => findScan(ctx, id),
    async () => {
      const results = await writeClaims(ctx, scanStatements(ctx, id, plan), plan.change?.after);
      const [written] = (results?.[0] ?? []) as WrittenScan[];
      return written;
    },
  );
}

/** Returns the account's scan with this identifier. */
export async function findScan(ctx: AccountContext, id: string): Promise<AppScan | undefined> {
  const isTarget = and(eq(appScans.id, id), eq(appScans.accountId, ctx.account.id));
  const [scan] = await ctx.db.select().from(appScans).where(isTarget);
  return scan;
}

/** Builds the condition that the scan is stored and meets `condition`. */
function isWritten(accountId: string | Placeholder, id: string | Placeholder, condition?: SQL): SQL {
  return sql`exists (select 1 from ${appScans} where ${and(eq(appScans.id, id), eq(appScans.accountId, accountId), condition)})`;
}

const IS_EFFECTIVE = sql`${appScans.reason} in ('accepted', 'told')`;
const IS_USAGE = sql`(${appScans.reason} = 'accepted'
  or ${appScans.reason} = 'told' and ${appScans.scanStatus} in (${sql.raw(ACCEPTED_STATUSES.join())}))`;

const [ACCOUNT_ID, SCAN_ID, PASS_ID, AT, PLACE] = ['accountId', 'scanId', 'passId', 'at', 'place'].map((name) =>
  sql.placeholder(name),
) as [Placeholder, Placeholder, Placeholder, Placeholder, Placeholder];
const countQuery = prepareQuery((db) =>
  countScan({ db }, ACCOUNT_ID, sql.placeholder('configurationId'), 1, isWritten(ACCOUNT_ID, SCAN_ID)),
);
const usageQuery = prepareQuery((db) =>
  recordUsage({ db }, ACCOUNT_ID, PASS_ID, { scanId: SCAN_ID, at: AT }, isWritten(ACCOUNT_ID, SCAN_ID, IS_USAGE)),
);
const usageAtPlaceQuery = prepareQuery((db) =>
  recordUsage(
    { db },
    ACCOUNT_ID,
    PASS_ID,
    { scanId: SCAN_ID, at: AT, place: PLACE },
    isWritten(ACCOUNT_ID, SCAN_ID, IS_USAGE),
  ),
);

function scanStatements(ctx: AccountContext, id: string, plan: ScanPlan): BatchItem<'sqlite'>[] {
  const { scan, configuration, createdAt, found, change } = plan;
  const { link } = scan;
  const { place } = configuration;
  const accountId = ctx.account.id;
  const usage = place === '' ? usageQuery : usageAtPlaceQuery;
  // A change that takes effect is a usage, unless the caller decided otherwise: one write of the pass covers both.
  const isUsage = plan.reason === 'accepted' || ACCEPTED_STATUSES.some((status) => status === scan.status);
  const isPlain = change && !change.columns.includes('placesUsedAt');
  const used = isPlain && isUsage ? { scanId: id, at: createdAt, place: place === '' ? undefined : place } : undefined;
  return [
    insertScan(ctx, id, plan),
    recordEvent(ctx, {
      type: 'app_scan_created',
      templateId: found?.pass.templateId,
      passId: found?.pass.id,
      body: scanEventBody(ctx, id, plan),
      computed: found && COMPUTED_MEMBERS,
      from: sql`${appScans}`,
      condition: and(eq(appScans.id, id), eq(appScans.accountId, accountId)),
    }),
    countQuery(ctx.db, { accountId, scanId: id, configurationId: configuration.id }),
    ...(link && link.usedAt === null ? [markUsed(ctx, link.id, isWritten(accountId, id))] : []),
    ...(change ? changeStatements(ctx, change, undefined, isWritten(accountId, id, IS_EFFECTIVE), used) : []),
    ...(found && !used ? [usage(ctx.db, { accountId, scanId: id, passId: found.pass.id, at: createdAt, place })] : []),
  ];
}

const IS_VOIDED = sql`(${appScans.hasVoided} or ${appScans.reason} = 'voided'
  or exists (select 1 from ${passes} where ${eq(passes.id, appScans.passId)} and ${passes.voided}))`;

/** Members of the event's body that depend on the row of the scan. A scan with a pass is never `not_found`. */
const COMPUTED_MEMBERS: Record<'scanStatus' | 'validityReason' | 'passVoided', SQL> = {
  scanStatus: sql`${appScans.scanStatus}`,
  validityReason: sql`iif(${IS_EFFECTIVE}, null, ${appScans.reason})`,
  passVoided: sql`json(iif(${IS_VOIDED}, 'true', 'false'))`,
};

/** Builds the event's body. Members in `COMPUTED_MEMBERS` have the values of a scan without a pass. */
function scanEventBody(ctx: AccountContext, id: string, plan: ScanPlan) {
  const { scan, configuration, createdAt, values, found } = plan;
  const pass = found?.pass;
  return {
    scanStatus: scan.status ?? UNKNOWN_STATUS,
    validityReason: validityReasonOf({ reason: plan.reason, scanStatus: scan.status ?? UNKNOWN_STATUS }),
    createdOn: formatDateTime(createdAt, ctx.account.timezone),
    createdOnUtc: formatDateTime(createdAt, 'UTC'),
    passId: pass?.id ?? null,
    passGeneratedId: pass?.generatedId ?? null,
    passSearchString: pass ? searchString(pass) : null,
    passVoided: false,
    passUserProvidedId: pass?.userProvidedId ?? null,
    passTemplateGuid: pass?.templateId ?? null,
    passTemplateName: found?.template.name ?? null,
    appConfigurationId: configuration.id,
    scannedBarcodeValue: scan.barcode ?? null,
    appScanId: id,
    deviceName: scan.deviceName ?? null,
    additionalPropertiesScan: values,
    additionalPropertiesPass: found ? namedProperties(found.definition, found.pass.properties) : {},
  };
}
