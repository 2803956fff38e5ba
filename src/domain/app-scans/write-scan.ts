import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/insert-row.ts';
import { countScan } from '../app-configurations/count-scans.ts';
import { markUsed } from '../app-configurations/links.ts';
import { appConfigurations } from '../app-configurations/table.ts';
import type { AccountContext } from '../context.ts';
import { recordEvent } from '../events/record-event.ts';
import { askedPushes, changeHolds, changeStatements } from '../passes/change-pass.ts';
import { recordUsage } from '../passes/record-usage.ts';
import { passes } from '../passes/table.ts';
import { handOverPushes } from '../pushes/hand-over-pushes.ts';
import { scanEventBody } from './scan-event.ts';
import type { ScanPlan } from './scan-plan.ts';
import { ACCEPTED_STATUSES, type AppScan, appScans, REFUSED_STATUS, UNKNOWN_STATUS } from './table.ts';
import { boundPlaces } from './validity.ts';

type WrittenScan = Pick<AppScan, 'id' | 'scanStatus' | 'reason' | 'passId' | 'createdAt'>;

/**
 * Writes a planned scan with all that follows from it, in one batch. The first statement decides by the state that it finds, and all others depend on the scan that it stored. Returns undefined when it
 * stored none: the pass or the configuration is no longer what the plan was made for, or the scan was told before.
 */
export async function writeScan(ctx: AccountContext, plan: ScanPlan): Promise<WrittenScan | undefined> {
  const id = uuidv7(shardOf(ctx.account.id));
  const results = await ctx.db.batch(scanStatements(ctx, id, plan) as [BatchItem<'sqlite'>]);
  const [written] = results[0] as WrittenScan[];
  // Nobody at the gate waits for what the holder is told.
  if (written && plan.change && tookEffect(written)) ctx.waitUntil(handOverPushes(ctx, askedPushes(plan.change)));
  return written;
}

const EFFECTIVE_REASONS = ['accepted', 'told'];

const tookEffect = ({ reason }: WrittenScan) => EFFECTIVE_REASONS.includes(reason);

function scanStatements(ctx: AccountContext, id: string, plan: ScanPlan): BatchItem<'sqlite'>[] {
  const { scan, configuration, createdAt, found, change } = plan;
  const written = (condition?: SQL) =>
    sql`exists (select 1 from ${appScans} where ${and(eq(appScans.id, id), condition)})`;
  const { link } = scan;
  const takesEffect = written(sql`${appScans.reason} in ('accepted', 'told')`);
  const isUsage = written(
    sql`(${appScans.reason} = 'accepted' or ${appScans.reason} = 'told' and ${appScans.scanStatus} in ${ACCEPTED_STATUSES})`,
  );
  return [
    insertScan(ctx, id, plan),
    recordEvent(ctx, {
      type: 'app_scan_created',
      templateId: found?.pass.templateId,
      passId: found?.pass.id,
      body: scanEventBody(ctx, id, plan),
      computed: found && computedMembers(id),
      condition: written(),
    }),
    countScan(ctx, configuration.id, 1, written()),
    ...(link && link.usedAt === null ? [markUsed(ctx, link.id, written())] : []),
    ...(change ? changeStatements(ctx, change, undefined, takesEffect) : []),
    ...(found
      ? [recordUsage(ctx, found.pass.id, { scanId: id, at: createdAt, place: configuration.place }, isUsage)]
      : []),
  ];
}

/** Members of the event's body that the database decides. */
function computedMembers(id: string): Record<string, SQL> {
  const ofScan = (value: SQL) => sql`(select ${value} from ${appScans} where ${eq(appScans.id, id)})`;
  const isVoided = sql`${appScans.hasVoided} or ${appScans.reason} = 'voided'
    or exists (select 1 from ${passes} where ${eq(passes.id, appScans.passId)} and ${passes.voided})`;
  return {
    scanStatus: ofScan(sql`${appScans.scanStatus}`),
    passVoided: sql`json(${ofScan(sql`iif(${isVoided}, 'true', 'false')`)})`,
  };
}

/** Stores the scan, with the reason and the status that the pass has in this very moment. */
function insertScan(ctx: AccountContext, id: string, plan: ScanPlan) {
  const { scan, configuration, createdAt, values, found, change } = plan;
  const row = {
    id,
    accountId: ctx.account.id,
    configurationId: configuration.id,
    linkId: scan.link?.id,
    clientId: scan.clientId,
    passId: found?.pass.id,
    scanStatus: scan.status ?? UNKNOWN_STATUS,
    reason: plan.reason,
    scannedBarcodeValue: scan.barcode,
    deviceName: scan.deviceName,
    additionalProperties: values,
    storedValue: scan.storedValue,
    hasVoided: false,
    createdAt,
  };
  const stands = sql`exists (select 1 from ${appConfigurations}
    where ${and(eq(appConfigurations.id, configuration.id), isNull(appConfigurations.deletedAt))})`;
  const source = found ? decided(plan, found) : sql`where ${stands}`;
  const reason = sql.identifier('reason');
  const ifEffective = (value: SQL) => sql`iif(${reason} in ('accepted', 'told'), ${value}, null)`;
  const { before, after } = { before: found?.pass, after: change?.after.pass };
  const hasNewValue = before && after && before.storedValue !== after.storedValue;
  const hasVoided = Boolean(after?.voided && !before?.voided);
  const status = scan.status ?? ACCEPTED_STATUSES[configuration.scanMode];
  const computed = found && {
    reason: sql`${reason}`,
    scanStatus: sql`iif(${reason} in ('accepted', 'told'), ${status}, ${REFUSED_STATUS})`,
    hasVoided: sql`coalesce(${ifEffective(sql`${Number(hasVoided)}`)}, 0)`,
    ...(hasNewValue && {
      storedValueBefore: ifEffective(sql`${before.storedValue}`),
      storedValueAfter: ifEffective(sql`${after.storedValue}`),
    }),
    previousScanId: sql`last_scan_id`,
    previousUsageAt: sql`last_usage_at`,
    place: sql`nullif(${configuration.place}, '')`,
    previousPlaceUsageAt: sql`(select value from json_each(places_used_at) where key = ${configuration.place})`,
  };
  return ctx.db
    .insert(appScans)
    .select(sql`select ${rowValues(appScans, row, computed)} ${source} ${found ? sql`and ${stands}` : sql``}`)
    .onConflictDoNothing()
    .returning({
      id: appScans.id,
      scanStatus: appScans.scanStatus,
      reason: appScans.reason,
      passId: appScans.passId,
      createdAt: appScans.createdAt,
    });
}

/** The pass, with the reason that its state gives; no row when the plan does not fit it any more. */
function decided(plan: ScanPlan, found: NonNullable<ScanPlan['found']>): SQL {
  const { configuration, change, reason } = plan;
  const state = sql`select *, ${reasonNow(plan, found)} as reason from ${passes} where ${eq(passes.id, found.pass.id)}`;
  const fits = () => {
    // Whatever the pass has become, what was to be changed of it is still there.
    if (reason === 'told') return change ? changeHolds(change) : sql`voided = ${Number(found.pass.voided)}`;
    if (reason === 'accepted') return sql`(reason <> 'accepted' or ${change ? changeHolds(change) : sql`true`})`;
    return sql`reason <> 'accepted'`;
  };
  return sql`from (${state}) where template_id = ${found.pass.templateId} and ${fits()}`;

  function reasonNow({ reason }: ScanPlan, { pass }: typeof found): SQL {
    if (reason === 'told') return sql`'told'`;
    const places = boundPlaces(configuration, pass);
    const voided = sql`when voided then 'voided'`;
    if (!places) return sql`case ${voided} else 'accepted' end`;
    if (!places.includes(configuration.place)) return sql`case ${voided} else 'elsewhere' end`;
    const isUsed = sql`exists (select 1 from json_each(places_used_at) where key = ${configuration.place})`;
    return sql`case ${voided} when ${isUsed} then 'used' else 'accepted' end`;
  }
}
