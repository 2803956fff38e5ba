import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { dayOf } from '../../platform/dates.ts';
import { firstUuidAt } from '../../platform/ids.ts';
import { type PreparedQuery, prepareQuery } from '../../platform/prepared-query.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import { appConfigurations } from '../app-configurations/table.ts';
import type { AccountContext } from '../context.ts';
import { expirationTerms } from '../passes/card/expiration.ts';
import { isChangeApplicable } from '../passes/change-pass.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { isOwnPass } from '../passes/own-pass.ts';
import { passes } from '../passes/table.ts';
import { isOwnTemplate } from '../template-restriction.ts';
import { templates } from '../templates/table.ts';
import { timeZoneOf } from '../templates/time-zone.ts';
import { limitOf } from './functionality.ts';
import type { ScanPlan } from './scan-plan.ts';
import { CODE_MEMORY_MS, type ScannedCode } from './scanned-code.ts';
import { ACCEPTED_STATUSES, type AppScan, appScans, NOTED_STATUS, REFUSED_STATUS, UNKNOWN_STATUS } from './table.ts';

export type WrittenScan = Pick<
  AppScan,
  'id' | 'scanStatus' | 'reason' | 'passId' | 'createdAt' | 'storedValueBefore' | 'storedValueAfter'
>;

/** Parameters of the statement's text; all other values are bound. */
interface StatementShape {
  /** Result of the plan; `none` without a pass. */
  decision: 'none' | 'told' | 'accepted' | 'refused';
  /** Whether the configuration has a place, to which passes can be bound. */
  place: 'any' | 'named';
  /** Precondition of the change to the pass: only its version, or also rules. */
  change: 'none' | 'plain' | 'ruled';
  hasNewValue: boolean;
  /** Limit that a scan can use up: the one scan of a day, or the stamps. */
  limit: 'none' | 'day' | 'stamps';
  code: ScannedCode;
}

type Values = Record<string, unknown>;
type Insert = (db: AccountContext['db'], values: Values) => PreparedQuery<WrittenScan[]>;

/** Statements by shape, each built once per isolate: building one takes longer than running it. */
const prepared = new Map<string, Insert>();

/**
 * Builds the statement that stores a planned scan with the reason and status from the current state of the pass. It
 * stores nothing if the plan no longer fits the pass, the configuration is gone, or the scan was sent before.
 */
export function insertScan(ctx: AccountContext, id: string, plan: ScanPlan): PreparedQuery<WrittenScan[]> {
  const shape = shapeOf(plan);
  const values = valuesOf(ctx, id, plan);
  // The number of rules depends on the settings of the template; rules are rare at an entrance.
  if (shape.change === 'ruled') return build(shape, isChangeApplicable(plan.change!))(ctx.db, values);
  const key = Object.values(shape).join();
  const insert = prepared.get(key) ?? build(shape, IS_UNCHANGED);
  prepared.set(key, insert);
  return insert(ctx.db, values);
}

function shapeOf({ configuration, reason, found, change, code }: ScanPlan): StatementShape {
  const decision = reason === 'told' || reason === 'accepted' ? reason : 'refused';
  return {
    decision: found ? decision : 'none',
    place: configuration.place === '' ? 'any' : 'named',
    change: change ? (change.rules.length > 0 ? 'ruled' : 'plain') : 'none',
    hasNewValue: change !== undefined && change.before.storedValue !== change.after.pass.storedValue,
    limit: (found && limitOf(found)) ?? 'none',
    code: found ? code : 'any',
  };
}

/** More than three periods, the time in which a code is accepted. No scan of it was received before its time. */
const ACCEPTED_MS = 15 * 60_000;

function valuesOf(ctx: AccountContext, id: string, plan: ScanPlan): Values {
  const { scan, configuration, createdAt, values, reason, found, change } = plan;
  const [before, after] = [found?.pass, change?.after.pass];
  return {
    id,
    accountId: ctx.account.id,
    configurationId: configuration.id,
    linkId: scan.link?.id ?? null,
    clientId: scan.clientId ?? null,
    passId: before?.id ?? null,
    scanStatus: scan.status ?? (found ? acceptedStatus(configuration, found) : UNKNOWN_STATUS),
    reason,
    scannedBarcodeValue: scan.barcode ?? null,
    deviceName: scan.deviceName ?? null,
    additionalProperties: values,
    storedValue: scan.storedValue ?? null,
    hasVoided: Boolean(after?.voided && !before?.voided),
    storedValueBefore: before?.storedValue ?? null,
    storedValueAfter: after?.storedValue ?? null,
    place: configuration.place,
    createdAt,
    templateId: before?.templateId ?? null,
    version: before?.version ?? null,
    voided: before?.voided ?? null,
    receivedSince: firstUuidAt(Math.max(createdAt, Date.now() - CODE_MEMORY_MS) - ACCEPTED_MS),
    ...(found && timeValues(ctx, found, createdAt)),
  };
}

/** A pass for once a day uses up its day instead of being voided. */
function acceptedStatus({ scanMode }: ScanPlan['configuration'], found: DefinedPass): number {
  return limitOf(found) === 'day' ? NOTED_STATUS : ACCEPTED_STATUSES[scanMode];
}

/** Returns the values of the definition and the account that depend on the time of a scan. */
function timeValues({ account }: AccountContext, found: DefinedPass, createdAt: number): Values {
  const timezone = timeZoneOf(account, found.definition);
  const { validityMs = null, latestAt = null, fallbackAt = null } = expirationTerms(found.definition, timezone);
  const { start: dayStart, end: dayEnd } = dayOf(createdAt, account.timezone);
  const { templateVersion } = found.pass;
  const { publishedVersion } = found.template;
  return { validityMs, latestAt, fallbackAt, dayStart, dayEnd, templateVersion, publishedVersion };
}

const value = sql.placeholder;

const CONFIGURATION_EXISTS = sql`exists (select 1 from ${appConfigurations}
  where ${and(eq(appConfigurations.id, value('configurationId')), eq(appConfigurations.accountId, value('accountId')), isNull(appConfigurations.deletedAt))})`;
/** Precondition of a change without rules, the same as `isChangeApplicable`. */
const IS_UNCHANGED = sql`exists (select 1 from ${passes} where ${and(isOwnPass(value('accountId'), value('passId')), eq(passes.version, value('version')))})`;

function build(shape: StatementShape, holds: SQL): Insert {
  const row = Object.fromEntries(COLUMNS.map((name) => [name, value(name)])) as never;
  const rows =
    shape.decision === 'none'
      ? sql`select ${rowValues(appScans, row)} where ${CONFIGURATION_EXISTS}`
      : sql`select ${rowValues(appScans, row, decidedColumns(shape))} from (${passNow(shape)})
          where template_id = ${value('templateId')} and ${fits(shape, holds)} and ${CONFIGURATION_EXISTS}`;
  const { id, scanStatus, reason, passId, createdAt, storedValueBefore, storedValueAfter } = appScans;
  const written = { id, scanStatus, reason, passId, createdAt, storedValueBefore, storedValueAfter };
  return prepareQuery((db) =>
    db
      .insert(appScans)
      .select(rows)
      // Inserts nothing for a scan that was sent before. A duplicate identifier fails, and the caller then only looks
      // for the stored scan.
      .onConflictDoUpdate({
        target: [appScans.accountId, appScans.clientId],
        targetWhere: sql`client_id is not null`,
        set: { id: sql`${appScans.id}` },
        setWhere: sql`false`,
      })
      .returning(written),
  );
}

/** Columns that are bound unchanged, unless `decidedColumns` has them. */
const COLUMNS = [
  'id',
  'accountId',
  'configurationId',
  'linkId',
  'clientId',
  'passId',
  'scanStatus',
  'reason',
  'scannedBarcodeValue',
  'deviceName',
  'additionalProperties',
  'storedValue',
  'hasVoided',
  'createdAt',
];

/** Columns that depend on the state of the pass when the statement runs. */
function decidedColumns({ hasNewValue }: StatementShape): Partial<Record<keyof AppScan, SQL>> {
  const isEffective = sql`reason in ('accepted', 'told')`;
  const ifEffective = (name: string) => sql`iif(${isEffective}, ${value(name)}, null)`;
  return {
    reason: sql`reason`,
    scanStatus: sql`iif(${isEffective}, ${value('scanStatus')}, ${sql.raw(String(REFUSED_STATUS))})`,
    hasVoided: sql`coalesce(iif(${isEffective}, ${sql.param(value('hasVoided'), appScans.hasVoided)}, null), 0)`,
    ...(hasNewValue && {
      storedValueBefore: ifEffective('storedValueBefore'),
      storedValueAfter: ifEffective('storedValueAfter'),
    }),
    previousScanId: sql`last_scan_id`,
    previousUsageAt: sql`last_usage_at`,
    place: sql`nullif(${value('place')}, '')`,
    previousPlaceUsageAt: sql`(select value from json_each(places_used_at) where key = ${value('place')})`,
  };
}

const FAR_FUTURE = sql.raw(String(Number.MAX_SAFE_INTEGER));
/** Expiration of the pass, the same as `expirationOf`; null: never. */
const EXPIRATION = sql`coalesce(
  min(coalesce(expiration_at, created_at + ${value('validityMs')}), coalesce(${value('latestAt')}, ${FAR_FUTURE})),
  ${value('fallbackAt')})`;
const IS_BOUND = sql.raw(`json_array_length(appearance, '$.eligibleValidationPlaces') > 0`);
const IS_BOUND_HERE = sql`exists (select 1 from json_each(appearance, '$.eligibleValidationPlaces') where value = ${value('place')})`;
const IS_USED = sql`exists (select 1 from json_each(places_used_at) where key = ${value('place')})`;
/** Another scan of the pass was accepted that day, and wasn't undone. */
const IS_DAY_TAKEN = sql`exists (select 1 from ${appScans} as earlier where earlier.pass_id = ${passes.id}
  and earlier.created_at >= ${value('dayStart')} and earlier.created_at < ${value('dayEnd')}
  and earlier.reason = 'accepted' and earlier.undone_at is null)`;

const PLACE_REFUSALS = {
  any: sql``,
  named: sql`when ${IS_BOUND} and not ${IS_BOUND_HERE} then 'wrong_place' when ${IS_BOUND} and ${IS_USED} then 'already_used'`,
};
/** This configuration accepted the same code in the scan `earlier`, and the scan wasn't undone. */
const HAS_TAKEN = sql`earlier.configuration_id = ${value('configurationId')}
  and earlier.scanned_barcode_value = ${value('scannedBarcodeValue')}
  and earlier.reason = 'accepted' and earlier.undone_at is null`;
/** Builds the condition that a scan of the pass has taken the code; `since` limits the time. */
const isCodeTaken = (since: SQL) =>
  sql`exists (select 1 from ${appScans} as earlier where earlier.pass_id = ${passes.id} ${since} and ${HAS_TAKEN})`;
const MEMORY = sql.raw(String(CODE_MEMORY_MS));
const IS_AROUND = sql`and earlier.created_at > ${value('createdAt')} - ${MEMORY}
  and earlier.created_at < ${value('createdAt')} + ${MEMORY}`;
/** Builds the query of a usage of the pass that the service received since then, whatever time the device sent. */
const usageSince = (from: SQL, id: SQL) => sql`select earlier.previous_scan_id, ${HAS_TAKEN}
  from ${from} where earlier.id = ${id} and ${id} >= ${value('receivedSince')}
    and +earlier.account_id = ${value('accountId')}`;
/** Follows the usages of the pass from the last one back. An index by time of receipt would cost each scan a row. */
const IS_TAKEN_LATELY = sql`exists (with recursive usages(previous_id, has_taken) as (
    ${usageSince(sql`${appScans} as earlier`, sql`${passes.lastScanId}`)} union all
    ${usageSince(sql`usages cross join ${appScans} as earlier`, sql`usages.previous_id`)})
  select 1 from usages where has_taken)`;
const CODE_REFUSALS: Record<ScannedCode, SQL> = {
  any: sql``,
  recent: sql`when ${IS_TAKEN_LATELY} then 'stale_code'`,
  past: sql`when ${isCodeTaken(IS_AROUND)} then 'stale_code'`,
  static: sql`when ${isCodeTaken(sql``)} then 'stale_code'`,
  stale: sql`when true then 'stale_code'`,
};

const LIMITS = {
  none: sql``,
  day: sql`when ${IS_DAY_TAKEN} then 'limit_reached'`,
  stamps: sql`when coalesce(stored_value, 0) < 1 then 'limit_reached'`,
};

/** Builds the query of the pass with the reason from its state at the time of the scan, the same as `validityOf`. */
function passNow({ decision, place, limit, code }: StatementShape): SQL {
  const decided = sql`case ${CODE_REFUSALS[code]} when voided then 'voided'
    when valid_as_of_at > ${value('createdAt')} then 'not_yet_valid'
    when ${EXPIRATION} < ${value('createdAt')} then 'expired'
    ${PLACE_REFUSALS[place]} ${LIMITS[limit]} else 'accepted' end`;
  const reason = decision === 'told' ? sql`'told'` : decided;
  // The limit keeps SQLite from evaluating the reason again at each mention.
  return sql`select *, ${reason} as reason from ${passes} where ${isOwnPass(value('accountId'), value('passId'))} limit 1`;
}

/** The pass still shows the definition of the plan. */
const HAS_SAME_DEFINITION = sql`template_version = ${value('templateVersion')}
  and ${value('publishedVersion')} = (select ${templates.publishedVersion} from ${templates} where ${isOwnTemplate(value('accountId'), value('templateId'))})`;

/**
 * Builds the condition that the parts of the pass to change are as they were read, unless nothing is to be changed
 * anymore.
 */
function fits({ decision, change }: StatementShape, holds: SQL): SQL {
  if (decision === 'told')
    return change === 'none' ? sql`voided = ${sql.param(value('voided'), passes.voided)}` : holds;
  if (decision === 'refused') return sql`reason <> 'accepted' and ${HAS_SAME_DEFINITION}`;
  return change === 'none' ? HAS_SAME_DEFINITION : sql`(reason <> 'accepted' or ${holds}) and ${HAS_SAME_DEFINITION}`;
}
