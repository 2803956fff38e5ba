import {
  type ConfigurationChoice,
  configurationChoices,
  type LinkWithKeys,
  type OpenedLink,
} from '../../domain/app-configurations/open-link.ts';
import type { AppConfiguration } from '../../domain/app-configurations/table.ts';
import { limitOf } from '../../domain/app-scans/functionality.ts';
import type { RecentScan } from '../../domain/app-scans/recent-scans.ts';
import type { ScanResult } from '../../domain/app-scans/scan-plan.ts';
import { UNDO_MINUTES } from '../../domain/app-scans/undo-scan.ts';
import { validityReasonOf } from '../../domain/app-scans/validity.ts';
import type { AccountContext } from '../../domain/context.ts';
import { expirationOf } from '../../domain/passes/card/expiration.ts';
import { fillPlaceholders } from '../../domain/passes/card/placeholders.ts';
import type { DefinedPass } from '../../domain/passes/find-pass.ts';
import { timeZoneOf } from '../../domain/templates/time-zone.ts';
import { formatMinute } from '../../platform/dates.ts';
import { timeOf } from '../../platform/ids.ts';
import { parseHex, readable, strongestOn, toHex } from '../colors.ts';
import type { Scanner, ScannerConfiguration, ScannerOutcome, ScannerRecentScan } from './protocol.ts';

/** Returns the content of an opened link. One more round trip if the link can change its configuration. */
export async function openScanner(opened: LinkWithKeys): Promise<Scanner> {
  const { configuration, link, publicKeys } = opened;
  const own: ConfigurationChoice = configuration;
  const choices = link.canChangeConfig ? await configurationChoices(opened) : [own];
  return {
    state: 'open',
    configuration: scannerConfiguration(configuration),
    choices: choices.map(({ id, name, place }) => ({ id, name, place })),
    publicKeys: publicKeys.map(base64Of),
  };
}

/** Returns the base64 part of a PEM. */
const base64Of = (pem: string): string => pem.replace(/-----.*?-----|\s/g, '');

/** Returns the content of a link before its PIN is entered. */
export function lockedScanner({ configuration }: OpenedLink): Scanner {
  const { name, place } = configuration;
  return { state: 'locked', name, place, colors: scannerColors(configuration) };
}

/** Neutral, and dark enough for white text. */
const BACKGROUND_DEFAULT = '#17181c';

/** Returns the colors of a configuration. Unreadable text colors are replaced. */
export function scannerColors({ backgroundColor, textColor }: Pick<AppConfiguration, 'backgroundColor' | 'textColor'>) {
  const background = parseHex(backgroundColor ?? undefined) ?? parseHex(BACKGROUND_DEFAULT)!;
  const text = readable(parseHex(textColor ?? undefined) ?? strongestOn(background), background);
  return { background: toHex(background), text: toHex(text) };
}

function scannerConfiguration(configuration: AppConfiguration): ScannerConfiguration {
  const { id, name, place, scanMode, additionalProperties, showStoredValue, incrementStoredValue } = configuration;
  return {
    id,
    name,
    place,
    scanMode,
    colors: scannerColors(configuration),
    properties: additionalProperties,
    storedValue: incrementStoredValue ? 'add' : showStoredValue ? 'replace' : 'none',
    preventNegative: configuration.preventNegativeNumericValues,
    confirmationSeconds: configuration.timeToShowAutoSaveConfirmation,
  };
}

/** Converts the result of a scan for the app. */
export function scannerOutcome(ctx: AccountContext, { scan, configuration, found }: ScanResult): ScannerOutcome {
  const asksValue = configuration.showStoredValue || configuration.incrementStoredValue;
  return {
    scanId: scan.id,
    status: scan.scanStatus,
    validityReason: validityReasonOf(scan),
    isUncovered: scan.reason === 'uncovered',
    limit: found ? limitOf(found) : null,
    passName: found?.template.name ?? null,
    holder: found ? (bearerOf(ctx, found) ?? null) : null,
    storedValue: asksValue ? (found?.pass.storedValue ?? null) : null,
    newValue: scan.storedValueAfter,
    undoableUntil: scan.reason === 'accepted' ? timeOf(scan.id) + UNDO_MINUTES * 60_000 : null,
    usedAt: usedAt(scan, configuration, found),
    ...validity(ctx, scan, found),
  };
}

/** Returns the date for which the scan was too early or too late, in the template's time zone. */
function validity(
  { account }: AccountContext,
  { reason }: ScanResult['scan'],
  found?: DefinedPass,
): Pick<ScannerOutcome, 'validFrom' | 'expiredOn'> {
  const timezone = found ? timeZoneOf(account, found.definition) : account.timezone;
  const local = (at: number | null | undefined) => (at == null ? null : formatMinute(at, timezone).replace(' ', 'T'));
  return {
    validFrom: reason === 'not_yet_valid' ? local(found?.pass.validAsOfAt) : null,
    expiredOn: reason === 'expired' && found ? local(expirationOf(found.definition, found.pass, timezone)) : null,
  };
}

/** Returns when a used pass was used. */
function usedAt({ reason }: ScanResult['scan'], { place }: AppConfiguration, found?: DefinedPass): number | null {
  if (!found) return null;
  const isUsed = reason === 'already_used' || reason === 'voided';
  if (!isUsed && !(reason === 'limit_reached' && limitOf(found) === 'day')) return null;
  return (reason === 'already_used' ? found.pass.placesUsedAt?.[place] : undefined) ?? found.pass.lastUsageAt;
}

/** Returns who or what a pass is for: the passenger, or the primary field. */
function bearerOf(ctx: AccountContext, { pass, definition }: DefinedPass): string | undefined {
  if (pass.flight) return pass.flight.passengerName;
  const text = definition.fields.primaryFields[0]?.value ?? '';
  // A signature would need the account's key, and nobody could read it out.
  if (text.includes('{sign(')) return undefined;
  const timezone = timeZoneOf(ctx.account, definition);
  return fillPlaceholders(text, { pass, definition, timezone, links: ctx }).trim() || undefined;
}

/** Converts a scan for the list of all devices. */
export function scannerRecentScan(scan: RecentScan): ScannerRecentScan {
  return {
    scanId: scan.id,
    clientId: scan.clientId,
    status: scan.scanStatus,
    validityReason: validityReasonOf(scan),
    passName: scan.userProvidedId ?? scan.templateName,
    value: scan.scannedBarcodeValue,
    deviceName: scan.deviceName,
    scannedAt: scan.createdAt,
    canUndo: scan.isUndoable,
  };
}
