import { EVENTS } from '../domain/events/catalog.ts';
import { PASS_FIELDS_EXAMPLE, PASS_ID_EXAMPLE, TEMPLATE_EXAMPLE, TEMPLATE_ID_EXAMPLE } from './examples.ts';
import type { Json } from './reply-headers.ts';

interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  maxItems?: number;
  anyOf?: Schema[];
}

const ORIGIN = 'https://passes.example.com';
const PAGE = `${ORIGIN}/p/kM3vQ8sT1xZb7LwYc5RjHd`;
const PASS_FILE = `${ORIGIN}/passes/${PASS_ID_EXAMPLE}/kM3vQ8sT1xZb7LwYc5RjHd.pkpass`;
const PASS = `${ORIGIN}/api/pass/${PASS_ID_EXAMPLE}`;
const PROPERTIES = { Passenger: 'Ada Lovelace', Coach: '21' };
const PROPERTY_IDS = { Passenger: '65f1c2a9b3d4e.10293847', Coach: '65f1c2a9b3d4e.56473829' };
const BY_ID = { [PROPERTY_IDS.Passenger]: 'Ada Lovelace', [PROPERTY_IDS.Coach]: '21' };
const BARCODE = '7041982365';
const GENERATED_ID = 'K7Q2M9X4T1ZBW5RD';
const SEARCH_STRING = [PASS_FIELDS_EXAMPLE.userProvidedId, BARCODE, GENERATED_ID, ...Object.values(PROPERTIES)].join(
  '|',
);
const IMAGE_NAME = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const MOMENT = '2027-01-31T08:30:00.000Z';
const LOCAL = '2027-01-31 08:30:00';
const PUBLIC_KEY = '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE…\n-----END PUBLIC KEY-----\n';

/**
 * What a member of a reply may say, by its name: the passes of one night train. Of several values the first of the
 * right type counts.
 */
const MEMBERS: Record<string, unknown[]> = {
  accessToken: ['9sXv2LqYt4Kc7WbR1mZd8Q'],
  additionalProperties: [[{ type: 'boolean', name: 'Coat check', id: PROPERTY_IDS.Coach }]],
  additionalPropertiesScan: [{ [PROPERTY_IDS.Coach]: true }],
  answer: ['ok'],
  apiToken: ['pk_…'],
  attempts: [1],
  backgroundColor: ['#14213d'],
  barcodeAlternativeText: ['Coach 21, berth 34'],
  barcodeValue: [BARCODE],
  branchLink: [`${ORIGIN}/scan/Vq2xT9bLw4Yc`],
  cancelled: [0],
  count: [1],
  createdOn: [LOCAL, MOMENT],
  createdOnUtc: ['2027-01-31 07:30:00'],
  current: [1],
  deviceName: ['Entrance 2'],
  downloadEnabledUntil: ['2027-01-31 20:00:00'],
  downloadPage: [PAGE],
  downloadPin: ['4711'],
  effectiveExpirationDate: ['2027-01-31 23:59:00'],
  eligibleValidationPlaces: [['Foyer']],
  emailRecipient: ['ada@example.com'],
  errors: [[], null],
  event: ['pass_created'],
  eligiblePlaces: [['Foyer']],
  ErrorMessage: [''],
  example: [EVENTS.pass_created.example],
  expirationDate: ['2027-01-31 23:59:00'],
  expired: [false],
  fieldMapping: [PROPERTY_IDS],
  failed: [0],
  generatedId: [GENERATED_ID],
  genericProperties: [PROPERTIES],
  firstDownloadedAt: [LOCAL],
  footerBackgroundColor: ['#fca311'],
  foregroundColor: ['#ffffff'],
  groupingIdentifier: ['night-train-4711'],
  importErrors: [
    [
      {
        field: 'urlToThumbnail',
        url: 'https://shop.example.com/photos/ada.png',
        message: 'image is not importable from URL (the server answered with status 404)',
      },
    ],
  ],
  labelColor: ['#fca311'],
  localizedBackgroundImages: [{ de: `${ORIGIN}/images/${IMAGE_NAME}` }],
  locations: [PASS_FIELDS_EXAMPLE.locations],
  identifier: [PASS_ID_EXAMPLE],
  numberOfActive: [1],
  numberOfInactive: [0],
  redeemed: [false],
  templateId: [TEMPLATE_ID_EXAMPLE],
  id: [PROPERTY_IDS.Passenger],
  isValid: [true],
  key: [PROPERTY_IDS.Passenger],
  label: ['Passenger'],
  lagMillis: [240],
  linkToPassFile: [PASS_FILE],
  linkToPassPage: [PAGE],
  modifiedOn: [LOCAL],
  name: [TEMPLATE_EXAMPLE.name],
  notificationText: ['The train leaves from platform 4'],
  outcome: ['delivered'],
  pageSize: [100],
  passData: [JSON.stringify(BY_ID)],
  passFieldData: [BY_ID],
  passFileUri: [PASS_FILE],
  passTemplateGuid: [TEMPLATE_ID_EXAMPLE],
  passTemplateId: [TEMPLATE_ID_EXAMPLE],
  passTemplateName: [TEMPLATE_EXAMPLE.name],
  passes: [[PASS_ID_EXAMPLE]],
  passUserProvidedId: [PASS_FIELDS_EXAMPLE.userProvidedId],
  passGeneratedId: [GENERATED_ID],
  passSearchString: [SEARCH_STRING],
  payload: [EVENTS.pass_created.example],
  phoneRecipient: ['+43 664 1234567'],
  place: ['Foyer'],
  placesUsedAt: [{ Foyer: LOCAL }],
  process: [`${ORIGIN}/api/v3/process/${PASS_ID_EXAMPLE}`],
  publicKey: [PUBLIC_KEY],
  publicationDate: ['2027-03-01 06:00'],
  qrCodeImage: [PASS_FILE.replace('.pkpass', '.png')],
  query: [{ groups: [[{ field: 'voided', operator: 'isFalse' }]] }],
  relevantDate: ['2027-01-31 20:30:00'],
  responseMetaData: [null],
  resultsThisPage: [1],
  resultsTotal: [1],
  scanStatus: [0],
  scannedBarcodeValue: [BARCODE],
  schema: [{ type: 'object' }],
  searchString: [SEARCH_STRING],
  secret: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
  self: [`${ORIGIN}/api/pass/list/${TEMPLATE_ID_EXAMPLE}?start=0&pageSize=100`],
  status: [200, 'active', 'finished', 'ok'],
  storedValue: [1],
  success: [true],
  summary: [EVENTS.pass_created.summary],
  target_url: ['https://shop.example.com/hooks/passes'],
  textColor: ['#ffffff'],
  title: ['Gold members'],
  total: [1],
  triggeredOn: [LOCAL],
  unlockPin: ['4711'],
  uri: [PASS],
  urlToBackground: [`${ORIGIN}/images/${IMAGE_NAME}`],
  urlToLogo: [`${ORIGIN}/images/${IMAGE_NAME}`],
  urlToThumbnail: [`${ORIGIN}/images/${IMAGE_NAME}`],
  validAsOfDate: ['2027-01-31 00:00:00'],
  urlToPass: [`${ORIGIN}/p/Zb7LwYc5RjHdkM3vQ8sT1x`],
  userProvidedId: [PASS_FIELDS_EXAMPLE.userProvidedId],
  validityReason: [null],
  validTo: ['2027-05-15 02:00:00'],
  voided: [false],
  warnings: [
    [
      'images.logo (logoUrl of the account): image is not importable from URL (the server answered with status 404); the template was created without it',
    ],
  ],
  walletSaveUri: ['https://pay.google.com/gp/v/save/eyJhbGciOiJSUzI1NiJ9…'],
};

const BY_TYPE: Record<string, unknown> = { string: 'text', integer: 0, number: 0, boolean: false, null: null };
const BY_FORMAT: Record<string, unknown> = { uuid: PASS_ID_EXAMPLE, 'date-time': MOMENT, uri: ORIGIN };

/**
 * An example of a reply in JSON: each member says what its name does elsewhere, an envelope also what the operation and
 * its status are.
 */
export function replyExample(schema: Json, status: number, description: string): unknown {
  const example = exampleOf(schema as Schema);
  const isEnvelope = 'statusCode' in ((schema as Schema).properties ?? {});
  return isEnvelope ? { ...(example as Json), description, statusCode: status } : example;
}

function exampleOf(schema: Schema, name = ''): unknown {
  const { type } = schema;
  const named = MEMBERS[name]?.find((value) => fits(value, schema));
  if (named !== undefined) return named;
  // What nothing is known about is rather null than anything.
  const last = schema.anyOf?.at(-1) ?? (Array.isArray(type) ? { ...schema, type: type.at(-1) } : undefined);
  if (last) return exampleOf(last, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (type === 'array') return schema.items && schema.maxItems !== 0 ? [exampleOf(schema.items)] : [];
  if (type === 'object') return membersOf(schema);
  return BY_FORMAT[schema.format ?? ''] ?? BY_TYPE[String(type ?? 'string')];
}

/** All that are always there, and those optional ones that have something to say. */
function membersOf({ properties = {}, required = [] }: Schema): Json {
  const shown = Object.entries(properties).filter(([name]) => required.includes(name) || name in MEMBERS);
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, name)]));
}

function fits(value: unknown, schema: Schema): boolean {
  if (schema.anyOf) return schema.anyOf.some((one) => fits(value, one));
  if (Array.isArray(schema.type)) return schema.type.some((type) => fits(value, { ...schema, type }));
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum) return schema.enum.includes(value);
  if (schema.format === 'uuid') return value === PASS_ID_EXAMPLE || value === TEMPLATE_ID_EXAMPLE;
  if (schema.format === 'date-time') return value === MOMENT;
  if (schema.type === 'array') return Array.isArray(value) && (schema.maxItems !== 0 || value.length === 0);
  if (schema.type === 'object') return isObject(value) && !schema.properties;
  if (schema.type === 'integer') return Number.isInteger(value);
  return schema.type === 'null' ? value === null : typeof value === schema.type;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
