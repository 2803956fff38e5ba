import { formatMinute } from '../../platform/dates.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { FLIGHT_FIELD_NAMES } from './flight-fields.ts';
import { pagePath } from './links.ts';
import type { Pass } from './table.ts';

/** What placeholders are filled from. */
export interface PlaceholderSource {
  pass: Pass;
  definition: StoredDefinition;
  timezone: string;
  /** Public origin of the service. */
  baseUrl: string;
}

/** A pass's own fields that templates may name; an entry here is all that a new placeholder takes. */
const OWN: Record<string, (source: PlaceholderSource) => unknown> = {
  identifier: ({ pass }) => pass.id,
  userProvidedId: ({ pass }) => pass.userProvidedId,
  generatedId: ({ pass }) => pass.generatedId,
  barcodeValue: ({ pass }) => pass.barcodeValue,
  barcodeAlternativeText: ({ pass }) => pass.barcodeAlternativeText,
  downloadPage: ({ pass, baseUrl }) => baseUrl + pagePath(pass),
  storedValue: ({ pass }) => pass.storedValue,
  bundleId: ({ pass }) => pass.bundleId,
  groupingIdentifier: ({ pass }) => pass.groupingIdentifier,
  emailRecipient: ({ pass }) => pass.emailRecipient,
  phoneRecipient: ({ pass }) => pass.phoneRecipient,
  expirationDate: ({ pass, timezone }) => dateText(pass.expirationAt, timezone),
  relevantDate: ({ pass, timezone }) => dateText(pass.relevantAt, timezone),
  validAsOfDate: ({ pass, timezone }) => dateText(pass.validAsOfAt, timezone),
  createdOn: ({ pass, timezone }) => dateText(pass.createdAt, timezone),
  ...Object.fromEntries(FLIGHT_FIELD_NAMES.map((name) => [name, ({ pass }: PlaceholderSource) => pass.flight?.[name]])),
};

function dateText(millis: number | null, timezone: string): string | undefined {
  return millis === null ? undefined : formatMinute(millis, timezone);
}

/**
 * Fills `{name}` in a text: an additional property by name or ID, or one of the pass's own fields. A known placeholder without a value becomes
 * empty, an unknown one stays as written (decisions §3, "Placeholders").
 */
export function fillPlaceholders(text: string, source: PlaceholderSource): string {
  if (!text.includes('{')) return text;
  return text.replace(/\{([^{}]+)\}/g, (written, name: string) => textOf(name.trim(), source) ?? written);
}

function textOf(name: string, source: PlaceholderSource): string | undefined {
  const property = source.definition.additionalProperties.find((one) => one.id === name || one.name === name);
  if (property) return String(source.pass.properties[property.id] ?? '');
  if (!Object.hasOwn(OWN, name)) return undefined;
  return String(OWN[name]!(source) ?? '');
}
