import type * as z from 'zod';
import type { TemplateDefinition } from '../../src/domain/templates/definition.ts';

export type TemplateInput = z.input<typeof TemplateDefinition>;

/**
 * Returns a membership card's definition with one value for everything that tests check; `overrides` replaces top-level
 * members.
 */
export function sampleTemplate(overrides: Partial<TemplateInput> = {}): TemplateInput {
  return {
    name: 'Membership',
    description: 'Membership card',
    organizationName: 'Example Organization',
    type: 'generic',
    fields: {
      headerFields: [{ key: 'level', type: 'text', label: 'Level', value: '{Level}' }],
      primaryFields: [{ key: 'member', type: 'text', label: 'Member', value: '{Full name}' }],
      secondaryFields: [{ key: 'number', type: 'text', label: 'Number', value: '{userProvidedId}' }],
      backFields: [{ key: 'terms', type: 'text', label: 'Terms', value: 'Not transferable.' }],
    },
    additionalProperties: [
      { name: 'Full name', type: 'text' },
      { name: 'Level', type: 'text', default: 'Basic' },
    ],
    barcode: { format: 'qr', valueDifferentForEachPass: true },
    colors: { backgroundColor: '#1d3557', foregroundColor: '#ffffff', labelColor: '#a8dadc' },
    ...overrides,
  };
}

/** The fields that a flight needs. */
export const SAMPLE_FLIGHT = {
  originAirportCode: 'VIE',
  destinationAirportCode: 'HAM',
  localScheduledDepartureTime: '2027-03-01T10:15',
  localBoardingDateTime: '2027-03-01T09:45',
  passengerName: 'Ada Lovelace',
  carrierCode: 'OS',
  confirmationCode: 'X7Y8Z9',
  flightNumber: 171,
};
