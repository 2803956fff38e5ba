import type { AppConfiguration, ScanProperty } from '../app-configurations/table.ts';
import type { AccountContext } from '../context.ts';
import { fieldIssue, type Issue, invalid, invalidField } from '../errors.ts';
import { SCAN_VALUES_CHARS_MAX, TEXT_CHARS_MAX } from '../limits.ts';
import { isRemovingLocations } from '../passes/card/locations.ts';
import { type Change, planChange } from '../passes/change-pass.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { applyTiers } from '../passes/tiers.ts';
import { timeZoneOf } from '../templates/time-zone.ts';
import type { ScanQuestion } from './find-subject.ts';
import { checkAmount, functionalityOf, valueAfter } from './functionality.ts';
import { type ScannedCode, scannedCode } from './scanned-code.ts';
import { ACCEPTED_STATUSES, type AppScan, type ScanReason, type ScanValue } from './table.ts';
import { validityOf } from './validity.ts';

/** A scan as sent by a device or a caller. */
export interface NewScan extends ScanQuestion {
  /** The caller's own decision; absent: the service decides by the state of the pass. */
  status?: number;
  /** Whether to void a pass that is accepted, or about which the caller decided. */
  setVoided?: boolean;
  deviceName?: string;
  /** Scan time in UTC milliseconds; used only if it is in the past. */
  createdAt?: number;
  /** Property ID to value. */
  additionalProperties?: Record<string, unknown>;
  storedValue?: number;
  /** Link whose app made the scan. */
  link?: { id: string; usedAt: number | null };
}

/** Outcome of a scan. */
export interface ScanResult {
  scan: Pick<
    AppScan,
    'id' | 'scanStatus' | 'reason' | 'passId' | 'createdAt' | 'storedValueBefore' | 'storedValueAfter'
  >;
  configuration: AppConfiguration;
  /** The pass after the scan; absent if the configuration has none. */
  found?: DefinedPass;
  /** Whether the same scan was sent before, so this one changed nothing. */
  isRepeated: boolean;
}

/** A scan decided by a state that was read, before the write. */
export interface ScanPlan {
  scan: NewScan;
  configuration: AppConfiguration;
  createdAt: number;
  values: Record<string, ScanValue>;
  /** Reason by the state that was read. */
  reason: ScanReason;
  /** Kind of the scanned text, for a pass whose code rotates. */
  code: ScannedCode;
  found?: DefinedPass;
  /** Change of the pass by an accepted scan, apart from its usages. */
  change?: Change;
}

/** Plans a scan by the state that was read. Throws `invalid` with the field. */
export async function planScan(
  ctx: AccountContext,
  scan: NewScan,
  createdAt: number,
  configuration: AppConfiguration,
  found: DefinedPass | undefined,
): Promise<ScanPlan> {
  const values = readScanValues(configuration, scan.additionalProperties ?? {});
  if (configuration.preventNegativeNumericValues && (scan.storedValue ?? 0) < 0) {
    throw invalidField('storedValue', 'must not be negative');
  }
  const timezone = found && timeZoneOf(ctx.account, found.definition);
  const code = found ? scannedCode(ctx.env, found, scan, { createdAt, now: Date.now() }) : 'any';
  const validity = found ? validityOf(configuration, found, { at: createdAt, timezone: timezone!, code }) : 'not_found';
  const reason: ScanReason = scan.status === undefined ? validity : 'told';
  const plan = { scan, configuration, createdAt, values, reason, code };
  if (!found || validity === 'uncovered') return plan;
  if (reason !== 'told') checkAmount(functionalityOf(found.definition), scan.storedValue);
  const isEffective = reason === 'accepted' || reason === 'told';
  const change = isEffective ? await planEffect(ctx, scan, configuration, found, createdAt) : undefined;
  return { ...plan, found, change };
}

/**
 * Plans the change of a pass that is valid, or about which the caller decided. Throws `invalid` for a refused value.
 */
async function planEffect(
  ctx: AccountContext,
  { status, setVoided = false, storedValue }: NewScan,
  configuration: AppConfiguration,
  found: DefinedPass,
  createdAt: number,
): Promise<Change | undefined> {
  const { pass } = found;
  const isDecided = status !== undefined;
  const functionality = isDecided ? undefined : functionalityOf(found.definition);
  const voids = setVoided || (!isDecided && configuration.scanMode === 0);
  const wanted = { ...pass };
  if (voids && functionality !== 'oncePerDay' && !pass.voided) Object.assign(wanted, { voided: true, redeemed: true });
  const isUsage = !isDecided || ACCEPTED_STATUSES.some((accepted) => accepted === status);
  if (isUsage && isRemovingLocations(found)) wanted.lastUsageAt = createdAt;
  wanted.storedValue = valueAfter(configuration, functionality, pass.storedValue, storedValue) ?? pass.storedValue;
  const change = planChange(ctx, found, await applyTiers(ctx, found, wanted));
  if (!change) return undefined;
  const others = change.columns.filter((column) => !VOIDING.has(column));
  return others.length > 0 || wanted.voided === pass.voided ? change : { ...change, events: ['pass_voided'] };
}

/** Columns that a void changes, and those that follow from each scan. */
const VOIDING = new Set<keyof DefinedPass['pass']>([
  'voided',
  'redeemed',
  'version',
  'revision',
  'modifiedAt',
  'lastUsageAt',
]);

type Rules = Pick<AppConfiguration, 'additionalProperties' | 'preventNegativeNumericValues'>;

/**
 * Returns the values of a configuration's additional properties, by property ID. Ignores unknown IDs; null and an empty
 * text are no value. Throws `invalid` for each value that doesn't fit its type, or is negative where that is prevented.
 */
function readScanValues(configuration: Rules, sent: Record<string, unknown>): Record<string, ScanValue> {
  const values: Record<string, ScanValue> = {};
  const issues: Issue[] = [];
  for (const property of configuration.additionalProperties) {
    if (!Object.hasOwn(sent, property.id)) continue;
    const given = sent[property.id];
    if (given === null || given === undefined || given === '') continue;
    const value = READERS[property.type](given);
    if (value === undefined)
      issues.push(fieldIssue(`additionalProperties.${property.id}`, `must be ${TYPE_HINTS[property.type]}`));
    else if (typeof value === 'number' && value < 0 && configuration.preventNegativeNumericValues)
      issues.push(fieldIssue(`additionalProperties.${property.id}`, 'must not be negative'));
    else values[property.id] = value;
  }
  if (issues.length > 0) throw invalid(issues);
  if (JSON.stringify(values).length > SCAN_VALUES_CHARS_MAX)
    throw invalidField('additionalProperties', `must have at most ${SCAN_VALUES_CHARS_MAX} characters together`);
  return values;
}

const TYPE_HINTS: Record<ScanProperty['type'], string> = {
  unicode: `a string of up to ${TEXT_CHARS_MAX} characters`,
  double: 'a number',
  boolean: 'true or false',
};

const READERS: Record<ScanProperty['type'], (given: unknown) => ScanValue | undefined> = {
  unicode(given) {
    const isText = ['string', 'number', 'boolean'].includes(typeof given);
    return isText && String(given).length <= TEXT_CHARS_MAX ? String(given) : undefined;
  },
  double(given) {
    const isNumber = typeof given === 'number' || (typeof given === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(given));
    return isNumber && Number.isFinite(Number(given)) ? Number(given) : undefined;
  },
  boolean(given) {
    if (typeof given === 'boolean') return given;
    return given === 'true' ? true : given === 'false' ? false : undefined;
  },
};
