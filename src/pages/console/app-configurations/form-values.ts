import { ConfigurationFields } from '../../../domain/app-configurations/configuration-fields.ts';
import { type AppConfiguration, SCAN_PROPERTY_TYPES } from '../../../domain/app-configurations/table.ts';
import { checked } from '../../../domain/check.ts';
import { normalizeColor } from '../../../domain/fields.ts';
import { textOf, textsIn, textsOf } from '../reply.tsx';

/** A row for an additional question in the form. Without a name, the row counts as empty. */
export interface TypedProperty {
  id: string;
  name: string;
  type: string;
}

/** The switches of a configuration with their effects. */
export const SWITCHES = [
  {
    value: 'showStoredValue',
    title: 'Ask for a value',
    hint: 'Replaces the stored value with the number you enter.',
  },
  {
    value: 'incrementStoredValue',
    title: 'Add to the stored value',
    hint: 'Adds the number you enter to the stored value instead.',
  },
  { value: 'preventNegativeNumericValues', title: 'Reject negative numbers', hint: 'Rejects negative input.' },
  {
    value: 'preventNegativeStoredValueBalance',
    title: 'Reject a negative balance',
    hint: 'Rejects a scan that would reduce the stored value below zero.',
  },
] as const;

/** Initial colors of the form. */
const COLORS = { background: '#17181c', text: '#ffffff' };

/** Initial values for a new configuration. */
export const NEW_CONFIGURATION = {
  name: '',
  scanMode: '0',
  type: '0',
  place: '',
  templates: [] as string[],
  properties: [] as TypedProperty[],
  ownColors: false,
  backgroundColor: COLORS.background,
  textColor: COLORS.text,
  confirmationSeconds: '3',
  /** Names of the selected switches. */
  switches: [] as string[],
};

/** The form's values as texts. */
export type TypedConfiguration = typeof NEW_CONFIGURATION;

/** Returns the form values of an existing configuration. */
export function typedFrom(configuration: AppConfiguration): TypedConfiguration {
  const { passTemplateId, passTemplateIds, backgroundColor, textColor } = configuration;
  return {
    name: configuration.name,
    scanMode: String(configuration.scanMode),
    type: String(configuration.type),
    place: configuration.place,
    templates: passTemplateIds ?? (passTemplateId ? [passTemplateId] : []),
    properties: configuration.additionalProperties,
    ownColors: backgroundColor !== null || textColor !== null,
    backgroundColor: normalizeColor(backgroundColor) ?? COLORS.background,
    textColor: normalizeColor(textColor) ?? COLORS.text,
    confirmationSeconds: String(configuration.timeToShowAutoSaveConfirmation),
    switches: SWITCHES.map(({ value }) => value).filter((value) => configuration[value]),
  };
}

/** Returns the submitted form values unchanged, so that the form can show them again. */
export function typedIn(form: Record<string, unknown>): TypedConfiguration {
  const [ids, types] = [textsOf(form, 'propertyId'), textsOf(form, 'propertyType')];
  const properties = textsOf(form, 'propertyName').map((name, i) => ({
    id: ids[i] ?? '',
    name,
    type: types[i] ?? SCAN_PROPERTY_TYPES[0],
  }));
  return {
    ...textsIn(form, 'name', 'scanMode', 'type', 'place', 'backgroundColor', 'textColor'),
    templates: textsOf(form, 'templates'),
    properties: properties.filter(({ name }) => name.trim() !== ''),
    ownColors: textOf(form, 'ownColors') !== '',
    confirmationSeconds: textOf(form, 'timeToShowAutoSaveConfirmation'),
    switches: textsOf(form, 'switches'),
  };
}

/** Returns the configuration of a form. Throws `invalid` with one issue per field. */
export function fieldsOf(typed: TypedConfiguration): ConfigurationFields {
  const { templates, ownColors, confirmationSeconds, switches } = typed;
  return checked(ConfigurationFields, {
    name: typed.name,
    scanMode: Number(typed.scanMode),
    type: Number(typed.type),
    place: typed.place,
    passTemplateId: templates.length === 1 ? templates[0] : null,
    passTemplateIds: templates.length > 1 ? templates : null,
    additionalProperties: typed.properties,
    backgroundColor: ownColors ? typed.backgroundColor : null,
    textColor: ownColors ? typed.textColor : null,
    timeToShowAutoSaveConfirmation: confirmationSeconds.trim() === '' ? null : Number(confirmationSeconds),
    ...Object.fromEntries(SWITCHES.map(({ value }) => [value, switches.includes(value)])),
  });
}
