import type { StoredDefinition } from '../../templates/definition.ts';
import { hasLocalizedBackgrounds } from '../images/pass-images.ts';
import { FlightFields } from './pass-fields.ts';

const isTicketOrBoarding = ({ type }: StoredDefinition) => /^(eventTicket|boardingPass)/.test(type);

/** Conditions for built-in fields that not all templates use. */
const USED = {
  emailRecipient: (d) => Boolean(d.sendoutOptions.passCreationNotification),
  phoneRecipient: (d) => Boolean(d.sendoutOptions.sms),
  expirationDate: (d) => d.expiration.expirationDateDifferentForEachPass,
  relevantDate: (d) => d.relevantDateDifferentForEachPass,
  urlToThumbnail: (d) => d.images.perPassImages.thumbnail,
  urlToBackground: (d) => d.images.perPassImages.background,
  urlToLogo: (d) => d.images.perPassImages.logo,
  localizedBackgroundImages: hasLocalizedBackgrounds,
  groupingIdentifier: (d) => d.groupingIdentifierEnabled && isTicketOrBoarding(d),
  eligibleValidationPlaces: (d) => d.validValidationPlaces.length > 0,
  downloadPin: (d) => d.downloadPinEnabled,
} satisfies Record<string, (definition: StoredDefinition) => boolean>;

/** Whether the passes of a template use a built-in field. */
export function isFieldUsed(definition: StoredDefinition, key: string): boolean {
  return Object.hasOwn(USED, key) ? USED[key as keyof typeof USED](definition) : true;
}

/** Whether passes of this definition are air boarding passes. */
export function isFlight(definition: StoredDefinition): boolean {
  return definition.type === 'boardingPass' && definition.transitType === 'PKTransitTypeAir';
}

/** Fields of a flight with their labels. */
export const FLIGHT_INFORMATION = Object.entries(FlightFields.shape).map(([key, schema]) => ({
  key: key as keyof FlightFields,
  label: labelOf(key),
  isTime: /Time$/.test(key),
  required: !schema.safeParse(null).success,
}));

/** Converts `localBoardingDateTime` to `Local boarding date time`. */
function labelOf(name: string): string {
  const spaced = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return spaced[0]!.toUpperCase() + spaced.slice(1);
}
