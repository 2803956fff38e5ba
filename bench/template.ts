/** The passes' template: text fields, translations and a place, like a membership card, but no image. */
export const TEMPLATE = {
  name: 'Membership',
  description: 'Membership card of the Northwind Climbing Hall',
  organizationName: 'Northwind Climbing Hall',
  type: 'generic',
  fields: {
    headerFields: [{ key: 'level', label: 'Level', value: '{level}' }],
    primaryFields: [{ key: 'member', label: 'Member', value: '{firstName} {lastName}' }],
    secondaryFields: [
      { key: 'number', label: 'Number', value: '{userProvidedId}' },
      { key: 'hall', label: 'Hall', value: '{hall}' },
    ],
    backFields: [{ key: 'terms', label: 'Terms', value: 'The card is not transferable. Show it at the desk.' }],
  },
  additionalProperties: [
    { name: 'firstName', type: 'text', required: true },
    { name: 'lastName', type: 'text', required: true },
    { name: 'level', type: 'text', default: 'Basic' },
    { name: 'hall', type: 'text', default: 'North' },
  ],
  barcode: { format: 'qr', useAutoIdForValue: true, valueDifferentForEachPass: true, alternativeText: '' },
  colors: { backgroundColor: '#1d3557', foregroundColor: '#ffffff', labelColor: '#a8dadc' },
  translationsEnabled: true,
  translations: { de: { Level: 'Stufe', Member: 'Mitglied', Number: 'Nummer', Hall: 'Halle', Terms: 'Bedingungen' } },
  locations: [{ latitude: 52.5163, longitude: 13.3777, maxDistance: 200, relevantText: 'Welcome back' }],
};

/**
 * Returns the fields of a pass of that template. Numbers have a fixed length, so that all replies have the same size.
 */
export function passFields(number: number): Record<string, string> {
  return {
    userProvidedId: `member-${String(number).padStart(9, '0')}`,
    firstName: 'Adaline',
    lastName: 'Brightwater',
    level: 'Gold',
  };
}
