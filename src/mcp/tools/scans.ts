import * as z from 'zod';
import { VALIDITY_REASONS } from '../../domain/validity-reasons.ts';
import { CHANGES, type Choices, READS, segment, tool } from '../tool.ts';
import { FromNext, IdempotencyKey, PageSize, textArgument, When, withoutNulls } from './fields.ts';

const ConfigurationId = textArgument(
  'App configuration of the gate or counter that scans. Call without it to list them',
);

const CONFIGURATIONS_MAX = 20;

/** No tool lists app configurations, so a call without a valid one lists them. */
const CONFIGURATIONS: Choices = {
  argument: 'appConfigurationId',
  request: { method: 'GET', path: '/api/appconfiguration' },
  describe(reply) {
    const all = reply as { configurationId: string; name: string }[];
    if (all.length === 0) return 'This key can access no app configuration. Create one in the console under Scanner.';
    const named = all.slice(0, CONFIGURATIONS_MAX).map(({ configurationId, name }) => `${name}: ${configurationId}`);
    const more = all.length > named.length ? `, and ${all.length - named.length} more in the console` : '';
    return `Use one of these app configurations: ${named.join('; ')}${more}.`;
  },
};

const WORDS = ['accepted', 'rejected', 'accepted', 'not found'] as const;
const Outcome = z.enum(['accepted', 'rejected', 'not found', 'recorded']);
const Reason = z.enum(VALIDITY_REASONS).optional().describe('Why it was not accepted');

/** Returns the outcome of a status. A caller can send any number as status. */
const outcomeOf = (status: number): z.infer<typeof Outcome> => WORDS[status] ?? 'recorded';

const Recorded = z.object({
  appScanId: z.string(),
  outcome: Outcome,
  scanStatus: z.int().describe('0: accepted and voided; 1: rejected; 2: accepted; 3: not found'),
  validityReason: Reason,
  passId: z.string().optional(),
});

export const recordScan = tool({
  name: 'record_scan',
  title: 'Record a scan',
  description:
    'Validates a pass at an app configuration as a scanner does, and records the scan. Can void the pass or change its stored value. An invalid pass is not an error; its outcome is rejected.',
  operation: 'createAppScan',
  scope: 'scans:write',
  hints: { ...CHANGES, idempotentHint: false },
  input: z.strictObject({
    appConfigurationId: ConfigurationId,
    scannedBarcodeValue: textArgument('Content of the barcode').optional(),
    passId: textArgument('Identifier of the pass, instead of scannedBarcodeValue').optional(),
    deviceName: textArgument('Name of the scanning device').optional(),
    createdOn: When.optional(),
    scanStatus: z.int().optional().describe('Records your decision instead of validating the pass'),
    setVoided: z.boolean().optional(),
    storedValue: z.number().optional(),
    additionalProperties: z.record(z.string(), z.unknown()).optional(),
    idempotencyKey: IdempotencyKey,
  }),
  output: Recorded,
  request: ({ idempotencyKey, ...body }) => ({ method: 'POST', path: '/api/appscan', body, idempotencyKey }),
  result: (reply) => {
    const scan = reply as { scanStatus: number };
    return Recorded.parse({ ...withoutNulls(scan), outcome: outcomeOf(scan.scanStatus) });
  },
  ifUnknown: 'Choose an app configuration that this key can use.',
  choices: CONFIGURATIONS,
});

const Listed = z.object({
  appScanId: z.string(),
  outcome: Outcome,
  scanStatus: z.int(),
  validityReason: Reason,
  createdOn: When,
  passId: z.string().optional(),
  passUserProvidedId: z.string().optional(),
  passTemplateName: z.string().optional(),
  deviceName: z.string().optional(),
  storedValue: z.number().optional(),
});

const Place = z.object({ lastIdOfPriorPage: z.string(), lastCreatedOnOfPriorPage: z.string() });

interface ListReply {
  query: { next?: string };
  total: number;
  results: { scanStatus: number }[];
}

function placeOf(next: string | undefined): z.infer<typeof Place> | null {
  if (next === undefined) return null;
  const parameters = new URL(next).searchParams;
  return {
    lastIdOfPriorPage: parameters.get('lastIdOfPriorPage') ?? '',
    lastCreatedOnOfPriorPage: parameters.get('lastCreatedOnOfPriorPage') ?? '',
  };
}

export const listScans = tool({
  name: 'list_scans',
  title: 'List scans',
  description: 'Lists the scans of an app configuration, ordered by scan time.',
  operation: 'listAppScans',
  scope: 'scans:read',
  hints: READS,
  input: z.strictObject({
    appConfigurationId: ConfigurationId,
    createdSince: When.optional(),
    pageSize: PageSize,
    lastIdOfPriorPage: FromNext.optional(),
    lastCreatedOnOfPriorPage: FromNext.optional(),
  }),
  output: z.object({
    scans: z.array(Listed),
    total: z.int(),
    next: Place.nullable().describe('Arguments for the next page'),
  }),
  request: ({ appConfigurationId, ...query }) => ({
    method: 'GET',
    path: `/api/appscan/list/${segment(appConfigurationId)}`,
    query,
  }),
  result: (reply) => {
    const { query, total, results } = reply as ListReply;
    const scans = results.map((scan) => Listed.parse({ ...withoutNulls(scan), outcome: outcomeOf(scan.scanStatus) }));
    return { scans, total, next: placeOf(query.next) };
  },
  ifUnknown: 'Choose an app configuration that this key can use.',
  choices: CONFIGURATIONS,
});
