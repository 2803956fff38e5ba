import * as z from 'zod';
import { VALIDITY_REASONS } from '../validity-reasons.ts';

/*
 * Catalog of all events: when each is recorded, the schema of its body, and an example. Recording, the subscribe
 * endpoint, `GET /api/v3/events`, the `webhooks` of the contract document and the tests all read it. The recipes in
 * docs/development.md name the other files of an event.
 */

const DATE_TIME_PATTERN = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;
const localTime = (what: string) => z.string().regex(DATE_TIME_PATTERN).describe(`${what}, in the account’s time zone`);
const Count = z.int().min(0);

/** Members of every pass event. */
const PassBody = z.object({
  identifier: z.uuid().describe('Identifier of the pass'),
  passId: z.uuid().describe('The same as `identifier`'),
  uniqueIdentifier: z.string().describe('The pass’s `generatedId`'),
  createdOn: localTime('Time when the pass was created'),
  passTemplate: z.string().describe('Name of the template'),
  userProvidedId: z.string().nullable(),
  linkToPassPage: z.url().describe('The pass’s download page'),
  passTemplateGuid: z.uuid().describe('Identifier of the template'),
  genericProperties: z
    .record(z.string(), z.union([z.string(), z.boolean()]))
    .describe('Values of the additional properties, by name'),
});

/**
 * Members of a registration event: those of a pass event, the device, and the number of devices with the pass after the
 * event.
 */
const RegistrationBody = PassBody.extend({
  operatingSystem: z.enum(['iOS', 'Android']).describe('Operating system of the device'),
  noOfActivePasses: Count.describe('Devices with the pass'),
  noOfInactivePasses: Count.describe('Devices that removed the pass'),
});

const TemplateBody = z.object({
  uniqueIdentifier: z.uuid().describe('Identifier of the template'),
  name: z.string(),
  noOfActivePasses: Count.describe('Passes of the template on a device'),
  noOfCreatedPasses: Count.describe('Passes of the template'),
});

/** Fields of the scan list and those that the event adds. A scan of an unknown barcode has no pass. */
const ScanBody = z.object({
  scanStatus: z.int().describe('0 accepted and voided, 1 rejected, 2 accepted (attendance recorded), 3 pass not found'),
  validityReason: z
    .enum(VALIDITY_REASONS)
    .nullable()
    .describe('Reason why the scan was not accepted; null if it was accepted, or if the caller sent the status'),
  createdOn: localTime('Time of the scan'),
  createdOnUtc: z.string().regex(DATE_TIME_PATTERN).describe('The same time in UTC'),
  passId: z.uuid().nullable(),
  passGeneratedId: z.string().nullable(),
  passSearchString: z.string().nullable().describe('Searchable texts of the pass, separated by `|`'),
  passVoided: z.boolean().describe('State after the scan; false without a pass'),
  passUserProvidedId: z.string().nullable(),
  passTemplateGuid: z.uuid().nullable(),
  passTemplateName: z.string().nullable(),
  appConfigurationId: z.uuid(),
  scannedBarcodeValue: z.string().nullable(),
  appScanId: z.uuid(),
  deviceName: z.string().nullable(),
  additionalPropertiesScan: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe('Values that were entered with the scan, by ID of the app configuration’s property'),
  additionalPropertiesPass: z
    .record(z.string(), z.union([z.string(), z.boolean()]))
    .describe('Values of the pass’s additional properties, by name'),
});

const MessageBody = z.object({
  messageId: z.uuid(),
  channel: z.enum(['email', 'sms']),
  recipient: z.string().describe('E-mail address or phone number'),
  status: z.string(),
  statusDetails: z.string().nullable().describe('Reason from the provider or the service'),
  subject: z.string().nullable().describe('Null for a text message'),
  passInstanceId: z.uuid().nullable().describe('Pass that the message is about'),
  templateId: z.uuid().nullable(),
  createdOn: localTime('Time when the message was requested'),
  submittedOn: localTime('Time when the message was sent to the provider').nullable(),
});

const PASS_EXAMPLE = {
  identifier: '01980b5e-5b11-7c30-8e42-0242ac120000',
  passId: '01980b5e-5b11-7c30-8e42-0242ac120000',
  uniqueIdentifier: '7K2M9QX4TBW3H8RA',
  createdOn: '2027-01-31 09:30:00',
  passTemplate: 'Night train',
  userProvidedId: 'booking-4711',
  linkToPassPage: 'https://passes.example.com/p/q3Zc0yTtT2u4cXW1nqv0Bg',
  passTemplateGuid: '01980b5e-4a30-7a52-9c11-0242ac120000',
  genericProperties: { Passenger: 'Ada Lovelace', Coach: '21' },
};

const registrationExample = (active: number, inactive: number) => ({
  ...PASS_EXAMPLE,
  operatingSystem: 'iOS' as const,
  noOfActivePasses: active,
  noOfInactivePasses: inactive,
});

const templateExample = (active: number, created: number) => ({
  uniqueIdentifier: PASS_EXAMPLE.passTemplateGuid,
  name: PASS_EXAMPLE.passTemplate,
  noOfActivePasses: active,
  noOfCreatedPasses: created,
});

const MESSAGE_EXAMPLE = {
  messageId: '01980b60-11c4-7f0a-b6a1-0242ac120000',
  channel: 'email',
  recipient: 'ada@example.com',
  status: 'sent',
  statusDetails: null,
  subject: 'Your ticket',
  passInstanceId: PASS_EXAMPLE.identifier,
  templateId: PASS_EXAMPLE.passTemplateGuid,
  createdOn: '2027-01-31 09:30:00',
  submittedOn: '2027-01-31 09:30:01',
} as const;

interface EventDefinition<Body extends z.ZodType> {
  /** Title of the event. */
  summary: string;
  /** When it is recorded. */
  description: string;
  body: Body;
  example: z.output<Body>;
}

/** Makes the compiler check the example against the schema. */
function event<Body extends z.ZodType>(definition: EventDefinition<Body>): EventDefinition<Body> {
  return definition;
}

/** Catalog of events, by type. */
export const EVENTS = {
  pass_created: event({
    summary: 'A pass was created',
    description: 'Bulk operations record it once for each pass. The body shows the new pass.',
    body: PassBody,
    example: PASS_EXAMPLE,
  }),
  pass_updated: event({
    summary: 'A pass was changed',
    description:
      'Once for each request that changed something, and for each pass of a bulk operation. A change that only ' +
      'voids or restores a pass has its own event instead. The body shows the pass after the change.',
    body: PassBody,
    example: PASS_EXAMPLE,
  }),
  pass_voided: event({
    summary: 'A pass was voided',
    description: 'Recorded for a request, for its bundle, or for a scan (which also records `app_scan_created`).',
    body: PassBody,
    example: PASS_EXAMPLE,
  }),
  pass_unvoided: event({
    summary: 'A pass was restored',
    description: 'Recorded for a request, or for its bundle.',
    body: PassBody,
    example: PASS_EXAMPLE,
  }),
  pass_deleted: event({
    summary: 'A pass was deleted',
    description:
      'Also recorded for each pass of a deleted template. The body shows the last state of the pass; its links no longer work.',
    body: PassBody,
    example: PASS_EXAMPLE,
  }),
  pushnotification_registered: event({
    summary: 'A device added a pass',
    description: 'Once for each device and pass, and again after the device removed the pass.',
    body: RegistrationBody,
    example: registrationExample(2, 0),
  }),
  first_pushnotification_registered: event({
    summary: 'The first device added a pass',
    description: 'Once per pass, in addition to `pushnotification_registered`.',
    body: RegistrationBody,
    example: registrationExample(1, 0),
  }),
  pushnotification_unregistered: event({
    summary: 'A device removed a pass',
    description: 'Once for each registration that ends.',
    body: RegistrationBody,
    example: registrationExample(0, 1),
  }),
  pass_template_created: event({
    summary: 'A template was created',
    description: 'Also recorded when a template is copied.',
    body: TemplateBody,
    example: templateExample(0, 0),
  }),
  pass_template_updated: event({
    summary: 'A template was changed',
    description: 'Once for each edit. Existing passes show the change when it is published.',
    body: TemplateBody,
    example: templateExample(230, 412),
  }),
  app_scan_created: event({
    summary: 'A pass was scanned',
    description:
      'Also recorded for an unknown barcode (`scanStatus` 3). Members about the pass are then null or empty, and ' +
      'only subscriptions to all templates get the event.',
    body: ScanBody,
    example: {
      scanStatus: 0,
      validityReason: null,
      createdOn: '2027-02-01 18:02:11',
      createdOnUtc: '2027-02-01 17:02:11',
      passId: PASS_EXAMPLE.identifier,
      passGeneratedId: PASS_EXAMPLE.uniqueIdentifier,
      passSearchString: 'booking-4711|Ada Lovelace|21',
      passVoided: true,
      passUserProvidedId: 'booking-4711',
      passTemplateGuid: PASS_EXAMPLE.passTemplateGuid,
      passTemplateName: 'Night train',
      appConfigurationId: '01980b60-7e02-7b1d-a3c5-0242ac120000',
      scannedBarcodeValue: '7K2M9QX4TBW3H8RA',
      appScanId: '01980b61-0c55-7d2e-91f0-0242ac120000',
      deviceName: 'Gate 3',
      additionalPropertiesScan: { '6880f1c2a4b3d.12345678': 'two bags' },
      additionalPropertiesPass: PASS_EXAMPLE.genericProperties,
    },
  }),
  message_sent: event({
    summary: 'An e-mail or text message was sent',
    description: 'After the provider accepted the message.',
    body: MessageBody,
    example: MESSAGE_EXAMPLE,
  }),
  message_failed: event({
    summary: 'An e-mail or text message could not be sent',
    description: 'After the last attempt, or when the provider reports a failure later.',
    body: MessageBody,
    example: { ...MESSAGE_EXAMPLE, status: 'failed', statusDetails: 'The mailbox does not exist' },
  }),
};

export type EventType = keyof typeof EVENTS;

/** Body of an event, by type. */
export type EventBody<T extends EventType> = z.output<(typeof EVENTS)[T]['body']>;

/** Names of all events, in catalog order. */
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];

/** Events whose body has the link to a pass's page. */
export const LINKED_EVENT_TYPES = EVENT_TYPES.filter((type) => 'linkToPassPage' in EVENTS[type].body.shape);

/** Returns whether a caller's text is the name of an event. */
export function isEventType(name: string): name is EventType {
  return Object.hasOwn(EVENTS, name);
}
