import { own } from '../../../../platform/json.ts';

/** Labels of members whose names are unclear. */
const NAMES: Record<string, string> = {
  nfc: 'NFC',
  sms: 'SMS',
  headerFields: 'Header',
  primaryFields: 'Primary',
  secondaryFields: 'Secondary',
  auxiliaryFields: 'Auxiliary',
  backFields: 'Back',
  passTypeId: 'Pass type (certificate)',
  projectId: 'Project',
  userProvidedId: 'External ID',
  adHoc: 'Ad hoc message',
  passCreationNotification: 'Message on creation',
  validValidationPlaces: 'Validation places',
  maxPasses: 'Maximum number of passes',
  customNumberRange: 'Number range',
  perPassImages: 'Images of each pass',
  preferredStyleScheme: 'Newer style',
  emailTemplate: 'E-mail',
  useAutoIdForValue: 'Generated value',
  valueDifferentForEachPass: 'Different for each pass',
  apple: 'Apple Wallet',
  google: 'Google Wallet',
  maxDistance: 'Distance',
  localizedRelevantText: 'Texts by language',
  groupingIdentifierEnabled: 'Grouping',
  downloadPinEnabled: 'Download PIN',
};

/** Formats a path of the definition: `Header · gate · Change message`. Numbers start at 1. */
export function pathName(path: readonly string[]): string {
  const [first, ...rest] = path;
  const shown = first === 'fields' ? ['Fields', ...rest] : path;
  return shown
    .map((name) => (/^\d+$/.test(name) ? String(Number(name) + 1) : (own(NAMES, name) ?? words(name))))
    .join(' · ');
}

/** Formats `changeMessage` as `Change message`. Other texts stay as they are. */
function words(name: string): string {
  if (!/^[a-z]+([A-Z][a-z]+)*$/.test(name)) return name;
  const spaced = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return spaced[0]!.toUpperCase() + spaced.slice(1);
}
