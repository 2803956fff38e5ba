import { own } from '../../../platform/json.ts';
import { LINEAR_ENCODERS } from '../../../platform/symbologies/linear.ts';
import { imageBox } from '../../images/image-boxes.ts';
import { PLACES_MAX } from '../apple/members.ts';
import { schemeOf } from '../apple/schemes.ts';
import { SOURCES } from '../apple/sources.ts';
import { STYLE_IMAGES } from '../apple/styles.ts';
import type { TemplateDefinition } from '../definition.ts';
import { noteCutFields, noteFields, noteKeys, noteTags } from './apple-field-rules.ts';
import { noteSchemes } from './apple-scheme-rules.ts';
import type { Finding, Note } from './finding.ts';
import { type ImageSizes, sizeIn } from './image-sizes.ts';

/** Findings of Apple Wallet's rules, in the order of members; none if the definition isn't for Apple Wallet. */
export function appleFindings(definition: TemplateDefinition, sizes: ImageSizes = new Map()): Finding[] {
  if (!definition.walletApps.apple) return [];
  const findings: Finding[] = [];
  const note: Note = (severity, path, message, source) =>
    findings.push({ path, wallet: 'apple', severity, message, source });
  for (const rule of RULES) rule(definition, note, sizes);
  return findings;
}

type Rule = (definition: TemplateDefinition, note: Note, sizes: ImageSizes) => void;

const RULES: Rule[] = [
  noteCutFields,
  noteFields,
  noteKeys,
  noteBarcode,
  noteNfc,
  noteImages,
  noteIconSize,
  noteColors,
  notePlaces,
  noteSemantics,
  noteSchemes,
  noteOthers,
];

function noteBarcode({ barcode }: TemplateDefinition, note: Note): void {
  const { format, value, valueDifferentForEachPass, useAutoIdForValue } = barcode;
  const isKnown = value !== '' && !value.includes('{') && !valueDifferentForEachPass && !useAutoIdForValue;
  if (format === 'code128')
    note('hint', 'barcode.format', 'is not shown on Apple Watch, which gets a QR code', SOURCES.barcodes);
  const encode = own<(text: string) => unknown>(LINEAR_ENCODERS, format);
  if (encode) {
    const message =
      'is shown by iOS 27 and later; other devices show a QR code, also for values that this code cannot hold';
    note('hint', 'barcode.format', message, SOURCES.barcodes);
  }
  if (encode && isKnown && !encode(value))
    note('warning', 'barcode.value', `does not fit into ${format}; passes show a QR code`, SOURCES.barcodes);
  if (isKnown && [...value].some((character) => character > 'ÿ')) {
    const message = 'has characters beyond ISO 8859-1, so it is written as UTF-8, which some scanners do not read';
    note('hint', 'barcode.value', message, SOURCES.barcodes);
  }
}

/** Devices cut off longer messages. */
const NFC_BYTES_MAX = 64;

function noteNfc({ nfc, barcode }: TemplateDefinition, note: Note): void {
  if (!nfc.enabled) return;
  note('hint', 'nfc.enabled', 'needs a pass certificate for which Apple has enabled NFC', SOURCES.nfc);
  if (!barcode.value.includes('{') && new TextEncoder().encode(barcode.value).length > NFC_BYTES_MAX)
    note('warning', 'barcode.value', `is cut off after ${NFC_BYTES_MAX} bytes when it is sent by NFC`, SOURCES.nfc);
}

function noteImages(definition: TemplateDefinition, note: Note): void {
  const { images, type, apple, logoText } = definition;
  if (!images.icon)
    note('warning', 'images.icon', 'is required; without one, passes get a plain icon of the service', SOURCES.source);
  const nameless = 'is missing, and there is no logoText: the top of the pass shows no name';
  if (!images.logo && !logoText) note('hint', 'images.logo', nameless, SOURCES.design);
  const isPosterEvent = schemeOf(definition) === 'posterEventTicket';
  if (type.startsWith('eventTicket') && images.strip && (images.background || images.thumbnail)) {
    const shown = type === 'eventTicket' ? 'background and thumbnail are' : 'it is';
    const message = `excludes background and thumbnail on an event ticket; ${shown} left out of the classic style`;
    note('warning', 'images.strip', message, SOURCES.design);
  }
  const posters = isPosterEvent ? ['background', 'artwork', 'primaryLogo', 'secondaryLogo', 'venueMap'] : [];
  const generic = apple?.posterGeneric ? ['artwork', 'primaryLogo'] : [];
  const boarding = schemeOf(definition) === 'semanticBoardingPass' ? ['primaryLogo'] : [];
  const shown = new Set<string>([...STYLE_IMAGES[type], ...posters, ...generic, ...boarding]);
  for (const [role, source] of Object.entries(images)) {
    if (role === 'perPassImages' || !source || shown.has(role)) continue;
    const isClash = type.startsWith('eventTicket') && ['strip', 'background', 'thumbnail'].includes(role);
    if (!isClash) note('hint', `images.${role}`, `is not shown on a ${type}`, SOURCES.design);
  }
  if (type === 'eventTicketBackground' && !images.background && !images.perPassImages.background)
    note('hint', 'images.background', 'is missing; this style of event ticket is designed for it', SOURCES.design);
}

/** Pixels per point of the sharpest screens. */
const SCALE_MAX = 3;

/** The icons for sharp screens (`icon@2x.png`, `icon@3x.png`) are drawn from the image, and never enlarged. */
function noteIconSize({ images, type }: TemplateDefinition, note: Note, sizes: ImageSizes): void {
  const size = sizeIn(sizes, images.icon);
  const side = imageBox('icon', type).width * SCALE_MAX;
  if (!size || Math.max(size.width, size.height) >= side) return;
  const message = `has ${size.width} x ${size.height} pixels, so it is blurred on sharp screens; use ${side} x ${side}`;
  note('warning', 'images.icon', message, SOURCES.imageValidator);
}

/** WCAG 2.2, 1.4.3: minimum contrast of text and of large text. */
const TEXT_CONTRAST = 4.5;
const LARGE_TEXT_CONTRAST = 3;

function noteColors(definition: TemplateDefinition, note: Note): void {
  const { backgroundColor, voidedBackgroundColor, foregroundColor, labelColor, footerBackgroundColor } =
    definition.colors;
  for (const [background, title] of [
    [backgroundColor, 'the background'],
    [voidedBackgroundColor, 'the background of voided passes'],
  ] as const) {
    for (const [name, color] of Object.entries({ foregroundColor, labelColor })) {
      if (!background || !color) continue;
      const contrast = contrastOf(background, color);
      if (contrast >= TEXT_CONTRAST) continue;
      const severity = contrast < LARGE_TEXT_CONTRAST ? 'warning' : 'hint';
      const message = `has a contrast of ${contrast.toFixed(1)} to ${title}; text is readable from ${TEXT_CONTRAST}`;
      note(severity, `colors.${name}`, message, SOURCES.design);
    }
  }
  if (footerBackgroundColor && schemeOf(definition) !== 'posterEventTicket')
    note('hint', 'colors.footerBackgroundColor', 'affects only poster event tickets', SOURCES.pass);
}

/** Returns the contrast ratio of two `#rrggbb` colors, from 1 to 21 (WCAG 2.2, contrast ratio). */
function contrastOf(one: string, other: string): number {
  const [light, dark] = [one, other].map(luminance).sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function notePlaces({ locations, apple }: TemplateDefinition, note: Note): void {
  const cut = `is left out: a pass has at most ${PLACES_MAX}`;
  if (locations.length > PLACES_MAX) note('warning', `locations.${PLACES_MAX}`, cut, SOURCES.pass);
  const beacons = (apple?.beacons ?? []) as unknown[];
  if (beacons.length > PLACES_MAX) note('warning', `apple.beacons.${PLACES_MAX}`, cut, SOURCES.beacons);
  const distances = new Set(locations.map(({ maxDistance }) => maxDistance ?? null));
  if (distances.size > 1 && apple?.maxDistance == null) {
    const message = 'differ in maxDistance; Apple allows one per pass, and the largest is used';
    note('hint', 'locations', message, SOURCES.pass);
  }
  if (apple?.maxDistance != null && locations.length === 0)
    note('hint', 'apple.maxDistance', 'has no effect without locations', SOURCES.pass);
}

function noteSemantics(definition: TemplateDefinition, note: Note): void {
  const tags = definition.apple?.semantics;
  if (schemeOf(definition) === 'posterEventTicket') noteUpcoming(definition, note);
  if (!tags) return;
  noteTags(tags, 'apple.semantics', definition, note);
  const [start, end] = [tags.eventStartDate, tags.eventEndDate].map(String);
  if (tags.eventStartDate && tags.eventEndDate && start!.length === end!.length && start! > end!)
    note('warning', 'apple.semantics.eventEndDate', 'is before eventStartDate', SOURCES.validator);
  if (tags.internationalDocumentsAreVerified === true && !tags.internationalDocumentsVerifiedDeclarationName) {
    const message = 'is missing; it is the text of the badge for verified documents';
    note('hint', 'apple.semantics.internationalDocumentsVerifiedDeclarationName', message, SOURCES.semanticTags);
  }
  const places = ['departureLocationSecurityPrograms', 'destinationLocationSecurityPrograms'];
  if (tags.passengerEligibleSecurityPrograms && !places.some((tag) => tags[tag])) {
    const message = `is shown only if ${places.join(' or ')} has the same program`;
    note('hint', 'apple.semantics.passengerEligibleSecurityPrograms', message, SOURCES.semanticTags);
  }
}

/** Notes tags of single events that belong to other styles. */
function noteUpcoming(definition: TemplateDefinition, note: Note): void {
  for (const [i, { semantics }] of (definition.apple?.upcomingPassInformation ?? []).entries())
    if (semantics) noteTags(semantics, `apple.upcomingPassInformation.${i}.semantics`, definition, note);
}

function noteOthers({ groupingIdentifierEnabled, sharingProhibited, type }: TemplateDefinition, note: Note): void {
  const isGrouped = type.startsWith('eventTicket') || type === 'boardingPass';
  if (groupingIdentifierEnabled && !isGrouped) {
    const message = 'has no effect: only boarding passes and event tickets are grouped';
    note('warning', 'groupingIdentifierEnabled', message, SOURCES.pass);
  }
  if (sharingProhibited)
    note('hint', 'sharingProhibited', 'hides the share button; it does not prevent copying', SOURCES.pass);
}
