import * as z from 'zod';
import { documentedAs } from '../../api/json-schema.ts';
import { PassRowView } from '../../api/v3/pass-view.ts';
import { FlightView } from '../../api/view-fields.ts';
import type { PassFields } from '../../domain/passes/values/pass-fields.ts';
import { ADDS, CHANGES, READS, segment, tool } from '../tool.ts';
import {
  dataOf,
  FIND_PASS,
  FIND_TEMPLATE,
  IdempotencyKey,
  PassId,
  TemplateId,
  textArgument,
  When,
  withoutNulls,
} from './fields.ts';

const SEE_FIELDS = 'Call describe_template for the fields of the template and their formats.';

const date = z.string().describe('Y-m-d H:i, such as 2027-01-31 23:59');

/** Fields that most templates use. The API accepts and validates the others, too. */
const COMMON_FIELDS = {
  userProvidedId: z
    .string()
    .describe('Your own ID for the pass. It opens a public page, so use values that nobody can guess'),
  barcodeValue: z.string(),
  barcodeAlternativeText: z.string(),
  expirationDate: date,
  relevantDate: date,
  validAsOfDate: date,
  storedValue: z.number(),
  emailRecipient: z.string(),
  phoneRecipient: z.string(),
  groupingIdentifier: z.string(),
  bundleId: z.string(),
} satisfies Partial<Record<keyof PassFields, z.ZodType>>;

const MORE_FIELDS =
  'You can also send additional properties of the template by name or ID, and the flight fields of air boarding passes.';

/**
 * Returns the schema of pass fields with those of the tool. The API validates all of them, so that its error messages
 * apply.
 */
function passData(fields: z.ZodRawShape, description: string) {
  const sent = z.looseObject({}, { error: 'is required and must be an object' });
  return documentedAs(sent, z.looseObject(fields).describe(description));
}

const newData = passData({ templateId: TemplateId, ...z.object(COMMON_FIELDS).partial().shape }, MORE_FIELDS);

const clearable = Object.entries(COMMON_FIELDS).map(([name, field]) => [name, field.nullable().optional()]);

/** Returns the schema of a change, where null clears a field. */
export function changedData(own: z.ZodRawShape = {}) {
  return passData({ ...own, ...Object.fromEntries(clearable) }, `${MORE_FIELDS} null clears a field.`);
}

const Written = z.object({
  identifier: z.string(),
  downloadPage: z.string().describe('Link for the holder, with the buttons of both wallets'),
  passFileUri: z.string(),
  barcodeValue: z.string().optional(),
  bundleId: z.string().optional(),
  genericProperties: z.record(z.string(), z.unknown()).optional(),
});

const written = (reply: unknown) => Written.parse(withoutNulls(dataOf(reply) as object));

export const createPass = tool({
  name: 'create_pass',
  title: 'Create a pass',
  description: 'Creates a pass from a template and returns the link to send to its holder. It doesn’t send a message.',
  operation: 'createPassV3',
  scope: 'passes:write',
  hints: ADDS,
  input: z.strictObject({ data: newData, idempotencyKey: IdempotencyKey }),
  output: Written,
  request: ({ data, idempotencyKey }) => ({
    method: 'POST',
    path: '/api/v3/pass',
    query: { async: 'false' },
    body: { data },
    idempotencyKey,
  }),
  result: written,
  ifUnknown: FIND_TEMPLATE,
  ifInvalid: SEE_FIELDS,
});

const Shown = z.object({
  identifier: z.string(),
  userProvidedId: z.string().optional(),
  templateId: z.string(),
  passTemplateName: z.string(),
  barcodeValue: z.string(),
  voided: z.boolean(),
  redeemed: z.boolean(),
  storedValue: z.number().optional(),
  validAsOfDate: z.string().optional(),
  relevantDate: z.string().optional(),
  expirationDate: z.string().optional(),
  effectiveExpirationDate: z.string().optional(),
  createdOn: When,
  modifiedOn: When,
  firstDownloadedAt: z.string().optional(),
  numberOfActive: z.int().describe('Devices and wallets that have the pass'),
  emailRecipient: z.string().optional(),
  phoneRecipient: z.string().optional(),
  bundleId: z.string().optional(),
  downloadPage: z.string(),
  genericProperties: z.record(z.string(), z.unknown()).describe('Additional properties, by name'),
  flight: z.record(z.string(), z.unknown()).optional().describe('Flight fields of an air boarding pass'),
});

/** Returns whether a member of a row is an additional property of the template. */
const isProperty = (name: string) => !Object.hasOwn(PassRowView.shape, name);
const isFlight = (name: string) => Object.hasOwn(FlightView.shape, name);

export const readPass = tool({
  name: 'read_pass',
  title: 'Get a pass',
  description: 'Shows the state, dates, values and link of one pass.',
  operation: 'readPassV3',
  scope: 'passes:read',
  hints: READS,
  input: z.strictObject({ id: PassId }),
  output: Shown,
  request: ({ id }) => ({
    method: 'GET',
    path: `/api/v3/pass/${segment(id)}`,
    query: { formatKeyAdditionalProperties: 'name' },
  }),
  result: (reply) => {
    const members = Object.entries(withoutNulls(dataOf(reply) as object));
    const flight = members.filter(([name]) => isFlight(name));
    return Shown.parse({
      ...Object.fromEntries(members.filter(([name]) => !isProperty(name))),
      genericProperties: Object.fromEntries(members.filter(([name]) => isProperty(name))),
      ...(flight.length > 0 ? { flight: Object.fromEntries(flight) } : {}),
    });
  },
  ifUnknown: FIND_PASS,
});

export const updatePass = tool({
  name: 'update_pass',
  title: 'Update a pass',
  description:
    'Changes the fields that you send; null clears one. Devices that have the pass are notified if it looks different.',
  operation: 'updatePassV3',
  scope: 'passes:write',
  hints: CHANGES,
  input: z.strictObject({ id: PassId, data: changedData() }),
  output: Written,
  request: ({ id, data }) => ({
    method: 'PATCH',
    path: `/api/v3/pass/${segment(id)}`,
    query: { async: 'false' },
    body: { data },
  }),
  result: written,
  ifUnknown: FIND_PASS,
  ifInvalid: SEE_FIELDS,
});

export const voidPass = tool({
  name: 'void_pass',
  title: 'Void or restore a pass',
  description: 'Voids a pass, so that scanners reject it and wallets show it as void. `voided: false` restores it.',
  operation: 'voidPass',
  scope: 'passes:write',
  hints: CHANGES,
  input: z.strictObject({ id: PassId, voided: z.boolean().default(true) }),
  output: z.object({ id: z.string(), voided: z.boolean() }),
  request: ({ id, voided }) => ({ method: 'PUT', path: `/api/pass/${segment(id)}`, body: { voided } }),
  result: (_, { id, voided }) => ({ id, voided }),
  ifUnknown: FIND_PASS,
});

export const sendPush = tool({
  name: 'send_push',
  title: 'Send a push notification',
  description:
    'Sends a text to the phones that have a pass. At least one device must have it (`numberOfActive` of read_pass).',
  operation: 'sendPushNotification',
  scope: 'messages:send',
  hints: { ...ADDS, openWorldHint: true },
  input: z.strictObject({
    id: PassId,
    pushNotificationText: textArgument('May contain placeholders, such as {Full name}'),
    idempotencyKey: IdempotencyKey,
  }),
  output: z.object({
    id: z.string(),
    sent: z.boolean().describe('false: the last text sent to this pass was the same'),
  }),
  request: ({ id, pushNotificationText, idempotencyKey }) => ({
    method: 'POST',
    path: `/api/pass/${segment(id)}/sendpushnotification`,
    body: { pushNotificationText },
    idempotencyKey,
  }),
  result: (_, { id }, status) => ({ id, sent: status !== 304 }),
  ifUnknown: FIND_PASS,
  ifInvalid: 'If no device has the pass, send its downloadPage (read_pass) to the holder instead.',
});
