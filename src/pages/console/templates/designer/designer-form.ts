import type { OpenedTemplate } from '../../../../domain/templates/open-template.ts';
import type { Faults } from './draft.ts';
import type { FormTree } from './form-tree.ts';

/** The id of the form, for controls that stand outside of it. */
export const DESIGNER_FORM = 'designer';

/** The parts of the designer, in their order. */
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

/** The part that a name from outside means, else the first. */
export function partNamed(name: string | undefined): PartName {
  return name !== undefined && Object.hasOwn(PARTS, name) ? (name as PartName) : 'general';
}

/** A form under way, and what it is about. */
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

/** The part that the control of this name stands in. */
export function partOf(name: string): PartName {
  return MEMBERS[name.split('.')[0]!] ?? 'general';
}

/** Number of things that are wrong, by part. */
export function faultCounts({ byName }: Faults): Partial<Record<PartName, number>> {
  const counts: Partial<Record<PartName, number>> = {};
  for (const name of Object.keys(byName)) {
    const part = partOf(name);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}
