import type { OpenedTemplate } from '../../../../domain/templates/open-template.ts';
import type { Faults } from './draft.ts';
import type { FormTree } from './form-tree.ts';

/** The id of the form, for controls outside it. */
export const DESIGNER_FORM = 'designer';

/** The parts of the designer, in order. */
export const PARTS = {
  general: 'General',
  look: 'Design',
  fields: 'Fields',
  properties: 'Data fields',
  code: 'Barcode',
  languages: 'Translations',
  validity: 'Validity',
  delivery: 'Delivery',
  rules: 'Rules',
} as const;
export type PartName = keyof typeof PARTS;

/** Returns the part with this name, or the first part. */
export function partNamed(name: string | undefined): PartName {
  return name !== undefined && Object.hasOwn(PARTS, name) ? (name as PartName) : 'general';
}

/** The submitted form of a template, with its issues. */
export interface DesignerForm {
  opened: OpenedTemplate;
  tree: FormTree;
  faults: Faults;
}

/** Members of the definition by part; the others are in the first part. */
const MEMBERS: Partial<Record<PartName, string[]>> = {
  look: ['images', 'colors', 'logoText', 'google', 'apple'],
  fields: ['fields', 'links'],
  properties: ['additionalProperties'],
  code: ['barcode', 'customNumberRange', 'nfc'],
  languages: ['translations', 'translationsEnabled'],
  validity: [
    ...['locations', 'stopLocationsAfterUse', 'timezone', 'expiration', 'validValidationPlaces'],
    ...['relevantDate', 'relevantDateDifferentForEachPass'],
  ],
  delivery: [
    ...['sendoutOptions', 'walletApps', 'downloadPinEnabled', 'preventDownloadWhenActive', 'sharingProhibited'],
    'hidePrintVersion',
  ],
  rules: ['maxPasses', 'enforceUniqueUserProvidedId', 'groupingIdentifierEnabled', 'passFunctionality'],
};
const PART_OF = new Map(
  Object.entries(MEMBERS).flatMap(([part, members]) => members.map((member) => [member, part as PartName] as const)),
);

/** Returns the part that contains a control. */
export const partOf = (name: string): PartName => PART_OF.get(name.split('.')[0]!) ?? 'general';

/** Returns the number of issues by part. */
export function faultCounts({ byName }: Faults): Partial<Record<PartName, number>> {
  const counts: Partial<Record<PartName, number>> = {};
  for (const name of Object.keys(byName)) {
    const part = partOf(name);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}
