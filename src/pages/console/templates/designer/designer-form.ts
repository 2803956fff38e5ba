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

const MEMBERS: Record<string, PartName> = {
  images: 'look',
  colors: 'look',
  logoText: 'look',
  google: 'look',
  apple: 'look',
  fields: 'fields',
  links: 'fields',
  additionalProperties: 'properties',
  barcode: 'code',
  customNumberRange: 'code',
  nfc: 'code',
  translations: 'languages',
  translationsEnabled: 'languages',
  locations: 'validity',
  timezone: 'validity',
  stopLocationsAfterUse: 'validity',
  relevantDate: 'validity',
  relevantDateDifferentForEachPass: 'validity',
  expiration: 'validity',
  validValidationPlaces: 'validity',
  sendoutOptions: 'delivery',
  downloadPinEnabled: 'delivery',
  preventDownloadWhenActive: 'delivery',
  sharingProhibited: 'delivery',
  hidePrintVersion: 'delivery',
  walletApps: 'delivery',
  maxPasses: 'rules',
  enforceUniqueUserProvidedId: 'rules',
  groupingIdentifierEnabled: 'rules',
  passFunctionality: 'rules',
};

/** Returns the part that contains a control. */
export const partOf = (name: string): PartName => MEMBERS[name.split('.')[0]!] ?? 'general';

/** Returns the number of issues by part. */
export function faultCounts({ byName }: Faults): Partial<Record<PartName, number>> {
  const counts: Partial<Record<PartName, number>> = {};
  for (const name of Object.keys(byName)) {
    const part = partOf(name);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}
