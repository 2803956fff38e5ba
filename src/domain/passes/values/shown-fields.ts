import { formatDateTime } from '../../../platform/dates.ts';
import { canonicalJson } from '../../../platform/json.ts';
import type { AccountContext } from '../../context.ts';
import { originalKey } from '../../images/stored-image.ts';
import { timeZoneOf } from '../../templates/time-zone.ts';
import type { DefinedPass } from '../find-pass.ts';
import type { PassImageRole } from '../images/pass-images.ts';
import type { Pass } from '../table.ts';
import { FLIGHT_FIELD_NAMES } from './pass-fields.ts';
import { isFlight } from './used-fields.ts';

type Where = Pick<AccountContext, 'account' | 'baseUrl'>;
type Sent = Record<string, unknown>;

/**
 * Returns the writable fields of a pass as v3 reads show them: dates as `Y-m-d H:i:s` in the template's time zone,
 * usages in the account's, images as URLs, null for no value. Without additional properties and flight fields, which
 * reads add.
 */
export function shownFields({ account, baseUrl }: Where, pass: Pass, definition: DefinedPass['definition']) {
  const { colors = {}, locations = [], eligibleValidationPlaces = [] } = pass.appearance;
  const timezone = timeZoneOf(account, definition);
  const date = (millis: number | null) => (millis === null ? null : formatDateTime(millis, timezone));
  const used = Object.entries(pass.placesUsedAt ?? {}).map(
    ([place, at]) => [place, formatDateTime(at, account.timezone)] as const,
  );
  const image = (role: PassImageRole) => shownImage(baseUrl, pass, role);
  return {
    userProvidedId: pass.userProvidedId,
    barcodeValue: pass.barcodeValue,
    barcodeAlternativeText: pass.barcodeAlternativeText,
    storedValue: pass.storedValue,
    expirationDate: date(pass.expirationAt),
    relevantDate: date(pass.relevantAt),
    validAsOfDate: date(pass.validAsOfAt),
    groupingIdentifier: pass.groupingIdentifier,
    bundleId: pass.bundleId,
    emailRecipient: pass.emailRecipient,
    phoneRecipient: pass.phoneRecipient,
    downloadPin: pass.downloadPin,
    labelColor: colors.labelColor ?? null,
    foregroundColor: colors.foregroundColor ?? null,
    backgroundColor: colors.backgroundColor ?? null,
    footerBackgroundColor: colors.footerBackgroundColor ?? null,
    locations,
    eligibleValidationPlaces,
    // As in v1 reads: an empty list if there is no usage.
    placesUsedAt: used.length > 0 ? (Object.fromEntries(used) as Record<string, string>) : [],
    urlToThumbnail: image('thumbnail'),
    urlToBackground: image('background'),
    urlToLogo: image('logo'),
    localizedBackgroundImages: shownBackgrounds(baseUrl, pass),
    voided: pass.voided,
  };
}

/** Other members of all reads. A template may have additional properties with these names. */
const READ_NAMES = [
  ...['identifier', 'generatedId', 'redeemed', 'createdOn', 'modifiedOn', 'numberOfActive', 'numberOfInactive'],
  ...['passTemplateName', 'linkToPassPage'],
];
const V1_READ_NAMES = [
  ...['uri', 'searchString', 'passData', 'passTemplateGuid', 'thumbnail', 'qrCodeImage', 'numberOfPrinted'],
  ...['passFieldData', 'lastUsage', 'eligiblePlaces', 'fieldMapping'],
];
const V3_READ_NAMES = [
  ...['templateId', 'downloadPage', 'passFileUri', 'walletSaveUri', 'firstDownloadedAt'],
  ...['effectiveExpirationDate', 'downloadEnabledUntil', 'importErrors'],
];

/** Returns names that mean no additional property in a read that is sent back, because they are its members. */
function reservedNames(sent: Sent, fields: Sent): Set<string> {
  const isV1 = Object.hasOwn(sent, 'passTemplateGuid');
  return new Set([...Object.keys(fields), ...READ_NAMES, ...(isV1 ? V1_READ_NAMES : V3_READ_NAMES)]);
}

/** Fields that a caller sent, without those whose value the pass already has. */
export interface ChangedFields {
  sent: Sent;
  /** Names of fields and flight fields, and IDs of additional properties, that stay unchanged. */
  kept: Set<string>;
  /** Names that don't mean an additional property, because they are members of the read that was sent back. */
  reserved: Set<string>;
}

/**
 * Removes from `sent` the fields whose value is the same as in a read; they stay unchanged, even if the template would
 * refuse the value today. A read that is sent back thus changes nothing. With `replaces`, missing languages lose their
 * background.
 */
export function changedFields(ctx: Where, found: DefinedPass, sent: Sent, replaces: boolean): ChangedFields {
  const { pass, definition } = found;
  const fields = { ...shownFields(ctx, pass, definition), ...(isFlight(definition) ? shownFlight(pass) : {}) };
  const isRead = sent.identifier === pass.id;
  const reserved = isRead ? reservedNames(sent, fields) : new Set<string>();
  const { names, shown } = shownProperties(found, fields, reserved);
  const kept = new Set(isRead ? unmentioned(found, sent, names) : []);
  const changed: Sent = {};
  for (const [key, value] of Object.entries(sent)) {
    const asked = key === BACKGROUNDS ? changedLanguages(value, shown[key], replaces) : value;
    const name = names.get(key);
    const isKept = name !== undefined && (asked === undefined || isSame(value, shown[key]));
    if (isKept && !isErrorCleared(pass, key, value, sent)) kept.add(name);
    else changed[key] = asked;
  }
  return { sent: changed, kept, reserved };
}

/** Returns the values of a read by key, with properties by ID and by name, and the name in `kept` of each key. */
function shownProperties({ pass, definition }: DefinedPass, fields: Sent, reserved: Set<string>) {
  const shown: Sent = { ...fields };
  const names = new Map(Object.keys(fields).map((name) => [name, name]));
  const left = Object.keys(pass.properties).map((id) => ({ id, name: id }));
  for (const { id, name } of [...definition.additionalProperties, ...left]) {
    for (const key of [id, name]) {
      if (names.has(key) || reserved.has(key)) continue;
      names.set(key, id);
      shown[key] = pass.properties[id] ?? null;
    }
  }
  return { shown, names };
}

/** Returns properties that a read doesn't show, because they have no value or belong to an earlier template. */
function unmentioned({ pass, definition }: DefinedPass, sent: Sent, names: Map<string, string>): string[] {
  const mentioned = new Set(Object.keys(sent).map((key) => names.get(key)));
  const known = new Set(definition.additionalProperties.map(({ id }) => id));
  const unset = [...known].filter((id) => pass.properties[id] === undefined);
  const left = Object.keys(pass.properties).filter((id) => !known.has(id));
  return [...unset, ...left].filter((id) => !mentioned.has(id));
}

const BACKGROUNDS = 'localizedBackgroundImages';

function shownImage(baseUrl: string, { appearance }: Pass, role: PassImageRole): string | null {
  const stored = appearance.images?.[role];
  return appearance.pendingImages?.images?.[role] ?? (stored ? `${baseUrl}/${originalKey(stored.sha256)}` : null);
}

/** Returns URLs by language, in the order of languages; null if there are none. */
function shownBackgrounds(baseUrl: string, { appearance }: Pass): Record<string, string> | null {
  const stored = Object.entries(appearance.localizedBackgrounds ?? {});
  const all = {
    ...Object.fromEntries(stored.map(([language, { sha256 }]) => [language, `${baseUrl}/${originalKey(sha256)}`])),
    ...appearance.pendingImages?.localizedBackgrounds,
  };
  const sorted = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length > 0 ? Object.fromEntries(sorted) : null;
}

function shownFlight({ flight }: Pass): Sent {
  return Object.fromEntries(FLIGHT_FIELD_NAMES.map((name) => [name, flight?.[name] ?? null]));
}

function isSame(sent: unknown, shown: unknown): boolean {
  if (sent === null || sent === '') return shown === null;
  return sent === shown || (typeof sent === 'object' && canonicalJson(sent) === canonicalJson(shown));
}

/** Whether clearing an image also clears its import error. A read that is sent back doesn't. */
function isErrorCleared({ appearance }: Pass, key: string, value: unknown, sent: Sent): boolean {
  if ((value !== null && value !== '') || sent.importErrors !== undefined) return false;
  return (appearance.importErrors ?? []).some(({ field }) => field === key || field.startsWith(`${key}.`));
}

/** Returns the languages whose background differs from reads; null removes one. Undefined: none. */
function changedLanguages(value: unknown, shown: unknown, replaces: boolean): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const before = (shown ?? {}) as Sent;
  const absent = replaces ? Object.keys(before).filter((language) => !Object.hasOwn(value, language)) : [];
  const changed = Object.entries(value).filter(([language, url]) => !isSame(url, before[language] ?? null));
  const asked = [...absent.map((language) => [language, null]), ...changed];
  return asked.length > 0 || Object.keys(value).length === 0 ? Object.fromEntries(asked) : undefined;
}
