import type { z } from 'zod';
import type { TemplateDefinition } from '../../src/domain/templates/definition.ts';

export type TemplateInput = z.input<typeof TemplateDefinition>;

/** Definition of a membership card with one value in each place that tests look at; `overrides` replaces top-level members. */
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
