import type { FieldItem } from '../field-lists.ts';
import { MERCHANT_LOCATIONS_MAX } from '../google/input.ts';
import { type GoogleKind, kindOfNewPass, kindOfType, MEMBER_KINDS } from '../google/kind.ts';
import { momentOf } from '../google/moment.ts';
import { type Finding, type Linted, type LintedDefinition, type Note, reference } from './finding.ts';
import { noteImages, noteReferences } from './google-content-rules.ts';
import type { ImageSizes } from './image-sizes.ts';

const DOCS = 'https://developers.google.com/wallet';
const CLASS = (kind: GoogleKind) => reference(`${kind.toLowerCase()}class`);
const OBJECT = (kind: GoogleKind) => reference(`${kind.toLowerCase()}object`);
const NOTIFICATIONS = `${DOCS}/tickets/events/use-cases/trigger-push-notifications`;
const LINKED_PASSES = `${DOCS}/generic/use-cases/auto-linked-passes`;

/**
 * Returns findings of Google's rules for a valid definition. Errors keep the pass from Google's users, warnings mean
 * that Google omits something, hints are about appearance. At most a hint for templates without Google.
 */
export function googleFindings(definition: LintedDefinition, sizes: ImageSizes = new Map()): Finding[] {
  const { walletApps, google } = definition;
  const findings: Finding[] = [];
  const note: Note = (severity, path, message, source) =>
    findings.push({ path, severity, message, source, wallet: 'google' });
  if (!walletApps.google) {
    if (google) note('hint', 'google', 'has no effect, because walletApps.google is off', reference(''));
    return findings;
  }
  const hasFlight = definition.transitType === 'PKTransitTypeAir';
  const kind = kindOfNewPass(definition) ?? kindOfType(definition.type, hasFlight);
  const linted = { definition, google: google ?? {}, kind, sizes };
  for (const rule of RULES) rule(linted, note);
  return findings;
}

const RULES: ((linted: Linted, note: Note) => void)[] = [
  misplacedMembers,
  moduleCounts,
  lengths,
  smartTap,
  notifications,
  intervals,
  locations,
  linkedPasses,
  restrictions,
  giftCards,
  noteImages,
  noteReferences,
];

function misplacedMembers({ google, kind }: Linted, note: Note): void {
  const message = `is left out: Google has no place for it in passes of this type (${kind})`;
  for (const [member, kinds] of Object.entries(MEMBER_KINDS)) {
    if (google[member as keyof typeof MEMBER_KINDS] == null || kinds.includes(kind)) continue;
    note('warning', `google.${member}`, message, OBJECT(kind));
  }
}

/** Checks the number of modules that Google shows per object. More are sent but not shown. */
function moduleCounts({ definition, google, kind }: Linted, note: Note): void {
  const texts = google.textModulesData ?? [];
  const links = google.linksModuleData?.uris ?? [];
  const counts: [path: string, count: number, max: number, what: string][] = [
    [
      texts.length > 0 ? 'google.textModulesData' : 'fields',
      textModuleCount(definition, kind) + texts.length,
      10,
      'texts, including fields',
    ],
    [links.length > 0 ? 'google.linksModuleData.uris' : 'links', definition.links.length + links.length, 10, 'links'],
    ['google.imageModulesData', google.imageModulesData?.length ?? 0, 1, 'image'],
  ];
  for (const [path, count, max, what] of counts) {
    if (count > max)
      note('warning', path, `Google Wallet shows ${max} ${what}, and this pass has ${count}`, OBJECT(kind));
  }
}

/** Values that flight passes show anyway. */
const FLIGHT_VALUES = [
  '{originAirportCode}',
  '{destinationAirportCode}',
  '{passengerName}',
  '{confirmationCode}',
  '{seatNumber}',
];

/** Counts the fields that Google shows as texts because it has no member for them. */
function textModuleCount({ fields }: LintedDefinition, kind: GoogleKind): number {
  const all = Object.values(fields).flat();
  if (kind === 'flight') return all.filter(({ value }) => !FLIGHT_VALUES.includes(value)).length;
  const count = all.length;
  const primary = fields.primaryFields.length;
  if (kind === 'transit') return count - Math.min(2, primary);
  if (kind === 'giftCard') return count - (moneyField(fields) ? 1 : 0);
  return kind === 'offer' ? count : count - Math.min(1, primary);
}

function moneyField({ backFields: _, ...shown }: LintedDefinition['fields']): FieldItem | undefined {
  return Object.values(shown)
    .flat()
    .find(({ currencyCode }) => currencyCode);
}

type Length = [path: string, text: unknown, max: number, source: string, severity?: 'warning'];

/** Checks the lengths that Google recommends, and two that it enforces. Texts with placeholders aren't checked. */
function lengths({ definition, google, kind }: Linted, note: Note): void {
  const lists: Length[] = [
    ['organizationName', definition.organizationName, 20, CLASS(kind)],
    ...(kind === 'offer' ? ([['description', definition.description, 60, CLASS(kind)]] as Length[]) : []),
    ...Object.entries(definition.fields).flatMap(([list, items]) =>
      items.map(({ label }, i): Length => [`fields.${list}.${i}.label`, label, 35, reference('TextModuleData')]),
    ),
    ...(google.textModulesData ?? []).flatMap(({ header, body }, i): Length[] => [
      [`google.textModulesData.${i}.header`, header, 35, reference('TextModuleData')],
      [`google.textModulesData.${i}.body`, body, 500, reference('TextModuleData')],
    ]),
    ...(google.linksModuleData?.uris ?? []).map(
      ({ description }, i): Length => [
        `google.linksModuleData.uris.${i}.description`,
        description,
        20,
        reference('Uri'),
      ],
    ),
    ...definition.links.map(({ label }, i): Length => [`links.${i}.label`, label, 20, reference('Uri')]),
    ...(google.valueAddedModuleData ?? []).flatMap(({ header, body }, i): Length[] => [
      [`google.valueAddedModuleData.${i}.header`, header, 60, reference('ValueAddedModuleData'), 'warning'],
      [`google.valueAddedModuleData.${i}.body`, body, 50, reference('ValueAddedModuleData'), 'warning'],
    ]),
  ];
  for (const [path, text, max, source, severity] of lists) {
    if (typeof text !== 'string' || text.includes('{') || text.length <= max) continue;
    const message = severity
      ? `is cut off after ${max} characters`
      : `may not be shown in full on small screens; Google recommends at most ${max} characters`;
    note(severity ?? 'hint', path, message, source);
  }
}

function smartTap({ google, kind }: Linted, note: Note): void {
  const { enableSmartTap, redemptionIssuers, smartTapRedemptionValue } = google;
  const source = CLASS(kind);
  const issuers = redemptionIssuers?.length ?? 0;
  if (!enableSmartTap) {
    const path = smartTapRedemptionValue ? 'google.smartTapRedemptionValue' : 'google.redemptionIssuers';
    if (smartTapRedemptionValue || issuers > 0) note('warning', path, 'has no effect without enableSmartTap', source);
    return;
  }
  if (issuers === 0) {
    const message = 'Smart Tap needs at least one redemption issuer with a Smart Tap key';
    note('error', 'google.redemptionIssuers', message, source);
  }
  if (!smartTapRedemptionValue) {
    note('error', 'google.smartTapRedemptionValue', 'Smart Tap needs the value that a terminal receives', source);
  }
  note('hint', 'google.enableSmartTap', 'requires an issuer that Google has approved for Smart Tap', source);
}

function notifications({ definition, google }: Linted, note: Note): void {
  if (google.notifyPreference) {
    const message =
      'Google notifies holders of changes to the fields on its list, at most three times per pass in 24 hours, ' +
      'including texts; further changes are sent without a notification';
    note('hint', 'google.notifyPreference', message, NOTIFICATIONS);
  }
  const expiry = google.notifications?.expiryNotification?.enableNotification;
  const source = reference('genericobject#Notifications');
  if (expiry && google.notifications?.upcomingNotification?.enableNotification) {
    const message = 'is ignored, because expiryNotification takes precedence';
    note('warning', 'google.notifications.upcomingNotification', message, source);
  }
  const { expirationDate, expirationDateDifferentForEachPass, validityInDays } = definition.expiration;
  if (expiry && !expirationDate && !expirationDateDifferentForEachPass && !validityInDays)
    note('warning', 'google.notifications.expiryNotification', 'needs passes that expire', source);
}

/** Finds intervals that end before they start, which are never shown. */
function intervals({ google }: Linted, note: Note): void {
  const { dateTime, valueAddedModuleData } = google;
  const pairs: [path: string, start: unknown, end: unknown, source: string][] = [
    ['google.dateTime.end', dateTime?.start, dateTime?.end, reference('eventticketclass#EventDateTime')],
    ['google.dateTime.start', dateTime?.doorsOpen, dateTime?.start, reference('eventticketclass#EventDateTime')],
    ...(valueAddedModuleData ?? []).map(({ viewConstraints }, i): [string, unknown, unknown, string] => [
      `google.valueAddedModuleData.${i}.viewConstraints.displayInterval.end.date`,
      viewConstraints?.displayInterval.start?.date,
      viewConstraints?.displayInterval.end?.date,
      reference('ValueAddedModuleData'),
    ]),
  ];
  for (const [path, start, end, source] of pairs) {
    const [from, to] = [start, end].map((text) => (typeof text === 'string' ? momentOf(text, 'UTC') : undefined));
    if (from !== undefined && to !== undefined && from > to) note('warning', path, `is before ${start}`, source);
  }
}

function locations({ definition, google, kind }: Linted, note: Note): void {
  const message = `Google accepts ${MERCHANT_LOCATIONS_MAX} locations; only the first ones are sent`;
  if (!google.merchantLocations && definition.locations.length > MERCHANT_LOCATIONS_MAX)
    note('warning', 'locations', message, OBJECT(kind));
}

function linkedPasses({ google }: Linted, note: Note): void {
  const message = 'must name passes of the same issuer that Google already has; once linked, they stay linked';
  if (google.linkedObjectIds?.length) note('hint', 'google.linkedObjectIds', message, LINKED_PASSES);
}

function restrictions({ definition, google }: Linted, note: Note): void {
  if (google.saveRestrictions) {
    const message = 'Google asks issuers to contact its support before they use save restrictions';
    note('hint', 'google.saveRestrictions', message, reference('SaveRestrictions'));
  }
  if (google.passConstraints?.screenshotEligibility === 'INELIGIBLE' && !definition.hidePrintVersion) {
    const message =
      'older versions of Google Wallet still allow screenshots, and the download page has a print version';
    note('hint', 'google.passConstraints.screenshotEligibility', message, reference('PassConstraints'));
  }
}

function giftCards({ definition, kind }: Linted, note: Note): void {
  const message = 'has no field of type currency, so Google’s gift card shows no balance';
  if (kind === 'giftCard' && !moneyField(definition.fields)) note('hint', 'fields', message, OBJECT('giftCard'));
}
