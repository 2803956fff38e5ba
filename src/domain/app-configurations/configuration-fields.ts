import * as z from 'zod';
import { AnyText, ColorText, PassName, Title } from '../fields.ts';
import { newPropertyId } from '../templates/additional-properties.ts';
import { SCAN_PROPERTY_TYPES, type ScanProperty } from './table.ts';

const PROPERTIES_MAX = 100;
const TEMPLATES_MAX = 1_000;
/** Maximum time for which the app shows a result before it continues on its own. */
const CONFIRMATION_SECONDS_MAX = 60;
/** Long enough to read a name at arm's length, short enough for a queue. */
const CONFIRMATION_SECONDS = 3;

const Color = ColorText.nullish().transform((value) => value ?? null);

const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

const SentProperty = z.object({
  id: AnyText.nullish(),
  name: Title,
  type: z.enum(SCAN_PROPERTY_TYPES, `must be one of ${SCAN_PROPERTY_TYPES.join(', ')}`),
});

const Fields = z.object({
  name: Title,
  scanMode: z.literal([0, 1], 'is required and must be 0 or 1'),
  /** An invalid value becomes 0. */
  type: z.literal([0, 1]).default(0).catch(0),
  place: PassName.nullish().transform((place) => place ?? ''),
  passTemplateId: AnyText.nullish()
    .transform((name) => name || null)
    .describe('Identifier of a template, or its userProvidedId; ignored with `passTemplateIds`'),
  passTemplateIds: z
    .array(AnyText)
    .max(TEMPLATES_MAX)
    .nullish()
    .transform((ids) => (ids?.length ? [...new Set(ids)] : null)),
  additionalProperties: z
    .array(SentProperty)
    .max(PROPERTIES_MAX)
    .nullish()
    .transform((properties) => properties ?? []),
  backgroundColor: Color,
  textColor: Color,
  timeToShowAutoSaveConfirmation: z
    .int()
    .min(0)
    .max(CONFIRMATION_SECONDS_MAX)
    .nullish()
    .transform((seconds) => seconds ?? CONFIRMATION_SECONDS),
  showStoredValue: flag,
  incrementStoredValue: flag,
  preventNegativeNumericValues: flag,
  preventNegativeStoredValueBalance: flag,
});

/** Input of a configuration, for a create and a full update. */
export const ConfigurationFields = z.preprocess(withoutIgnored, Fields);
export type ConfigurationFields = z.infer<typeof ConfigurationFields>;

/** Drops `passTemplateId` if there is a list of templates, so that it isn't validated. */
function withoutIgnored(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const { passTemplateId, passTemplateIds } = input as Record<string, unknown>;
  const isIgnored = Array.isArray(passTemplateIds) && passTemplateIds.length > 0;
  return isIgnored && !AnyText.safeParse(passTemplateId).success ? { ...input, passTemplateId: null } : input;
}

/** Assigns identifiers: an existing property keeps its own, by which scans name it; others get a new one. */
export function assignIds(
  sent: ConfigurationFields['additionalProperties'],
  before: ScanProperty[] = [],
): ScanProperty[] {
  const left = [...before];
  const take = (isSame: (one: ScanProperty) => boolean) => {
    const at = left.findIndex(isSame);
    return at < 0 ? undefined : left.splice(at, 1)[0]!.id;
  };
  const byId = sent.map(({ id }) => (id ? take((one) => one.id === id) : undefined));
  return sent.map(({ name, type }, i) => ({
    type,
    name,
    id: byId[i] ?? take((one) => one.name === name && one.type === type) ?? newPropertyId(),
  }));
}
