import type { AppConfiguration, ScanProperty } from '../app-configurations/table.ts';
import type { AccountContext } from '../context.ts';
import { fieldIssue, type Issue, invalid, invalidField } from '../errors.ts';
import { TEXT_CHARS_MAX } from '../limits.ts';
import { endsLocations } from '../passes/card/locations.ts';
import { type Change, planChange } from '../passes/change-pass.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { applyTiers } from '../passes/tiers.ts';
import { timeZoneOf } from '../templates/time-zone.ts';
import type { ScanQuestion } from './find-subject.ts';
import { checkAmount, functionalityOf, valueAfter } from './functionality.ts';
import { type ScannedCode, scannedCode } from './scanned-code.ts';
import { ACCEPTED_STATUSES, type AppScan, type ScanReason, type ScanValue } from './table.ts';
import { validityOf } from './validity.ts';

/** A scan as a device or a caller sends it. */
export interface NewScan extends ScanQuestion {
  /** The caller's own decision; absent: the service decides by the state table. */
  status?: number;
  /** Voids a pass that is accepted, or whose caller decided. */
  setVoided?: boolean;
  deviceName?: string;
  /** When the pass was scanned, in UTC milliseconds; counts if it is earlier than now. */
  createdAt?: number;
  /** Property ID to value. */
  additionalProperties?: Record<string, unknown>;
  storedValue?: number;
  /** The link whose app made the scan. */
  link?: { id: string; usedAt: number | null };
}

/** The outcome of a scan. */
export interface ScanResult {
  scan: Pick<
    AppScan,
    'id' | 'scanStatus' | 'reason' | 'passId' | 'createdAt' | 'storedValueBefore' | 'storedValueAfter'
  >;
  configuration: AppConfiguration;
  /** The pass after the scan; absent when there is none for this configuration. */
  found?: DefinedPass;
  /** Whether this very scan was sent before, and now changed nothing. */
  isRepeated: boolean;
}

/** A scan decided from a state that was read, and not yet written. */
export interface ScanPlan {
  scan: NewScan;
  configuration: AppConfiguration;
  createdAt: number;
  values: Record<string, ScanValue>;
  /** What the state that was read makes of it. */
  reason: ScanReason;
  /** What the scanned text is to a pass whose code rotates. */
  code: ScannedCode;
  found?: DefinedPass;
  /** What an accepted scan changes of the pass, beside its usages. */
  change?: Change;
}

/** Decides a scan by the state that was read. Throws `invalid` naming the field. */
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
  // A device whose clock is wrong sends a wrong time with the code of this moment.
  const code = found ? scannedCode(ctx.env, found, scan, [createdAt, Date.now()]) : 'any';
  const validity = found ? validityOf(configuration, found, { at: createdAt, timezone: timezone!, code }) : 'not_found';
  const reason: ScanReason = scan.status === undefined ? validity : 'told';
  const plan = { scan, configuration, createdAt, values, reason, code };
  if (!found || validity === 'uncovered') return plan;
  if (reason !== 'told') checkAmount(functionalityOf(found.definition), scan.storedValue);
  const isEffective = reason === 'accepted' || reason === 'told';
  const change = isEffective ? await planEffect(ctx, scan, configuration, found, createdAt) : undefined;
  return { ...plan, found, change };
}

/** For a pass that is good, or about which its caller decided. Throws `invalid` for a value that is refused. */
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
  if (isUsage && endsLocations(found)) wanted.lastUsageAt = createdAt;
  wanted.storedValue = valueAfter(configuration, functionality, pass.storedValue, storedValue) ?? pass.storedValue;
  const change = planChange(ctx, found, await applyTiers(ctx, found, wanted));
  if (!change) return undefined;
  const others = change.columns.filter((column) => !VOIDING.has(column));
  return others.length > 0 || wanted.voided === pass.voided ? change : { ...change, events: ['pass_voided'] };
}

/** Columns that a void changes, and those that follow from every scan. */
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
 * The values of a configuration's additional properties, by property ID. IDs that it does not know are ignored, null
 * and an empty text are no value. Throws `invalid` naming each property whose value does not fit its type, or is
 * negative where that is prevented.
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
      issues.push(fieldIssue(`additionalProperties.${property.id}`, `must be ${WORDS[property.type]}`));
    else if (typeof value === 'number' && value < 0 && configuration.preventNegativeNumericValues)
      issues.push(fieldIssue(`additionalProperties.${property.id}`, 'must not be negative'));
    else values[property.id] = value;
  }
  if (issues.length > 0) throw invalid(issues);
  return values;
}

const WORDS: Record<ScanProperty['type'], string> = {
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
