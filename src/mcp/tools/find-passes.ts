import * as z from 'zod';
import { documentedAs } from '../../api/json-schema.ts';
import { OPERATORS } from '../../domain/search/operators.ts';
import { READS, segment, tool } from '../tool.ts';
import {
  dataOf,
  FIND_PASS,
  FIND_TEMPLATE,
  FromNext,
  PageSize,
  PassId,
  TemplateId,
  textArgument,
  withoutNulls,
} from './fields.ts';

/** Members of a row if the caller names none. */
const FIELDS = [
  'identifier',
  'userProvidedId',
  'passTemplateName',
  'barcodeValue',
  'voided',
  'redeemed',
  'storedValue',
  'effectiveExpirationDate',
  'createdOn',
];

const Condition = z.object({
  field: z.string(),
  operator: z.enum(Object.keys(OPERATORS)),
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]).optional(),
});

/** The API validates conditions, so that its error messages apply. */
const Groups = documentedAs(
  z.array(z.array(z.looseObject({}))),
  z
    .array(z.array(Condition))
    .describe(
      'Conditions of one group combine with AND, groups with OR. Fields are the members of a pass, such as voided or ' +
        'createdOn, and with `templateId` also additional properties, by name or ID',
    ),
);

const Place = z.object({ startUid: z.string(), startCreatedOnTimestamp: z.string() });

interface SearchReply {
  data: object[];
  responseMetaData: { resultsTotal: number };
  page: { next: string | null };
}

/** Returns the start of the next page from its URL. */
function placeOf(next: string | null): z.infer<typeof Place> | null {
  if (next === null) return null;
  const parameters = new URL(next).searchParams;
  return {
    startUid: parameters.get('startUid') ?? '',
    startCreatedOnTimestamp: parameters.get('startCreatedOnTimestamp') ?? '',
  };
}

export const searchPasses = tool({
  name: 'search_passes',
  title: 'Search passes',
  description:
    'Finds passes by a phrase (names, numbers, dates, emails) and by conditions. Newest first. Without arguments, lists all passes.',
  operation: 'searchPasses',
  scope: 'passes:read',
  hints: READS,
  input: z.strictObject({
    searchPhrase: textArgument('Text that the pass contains; * matches any characters').optional(),
    templateId: TemplateId.optional(),
    projectId: textArgument('Passes of all templates of a project').optional(),
    groups: Groups.optional(),
    pageSize: PageSize,
    fields: z.array(z.string()).max(100).default(FIELDS).describe('Members of each row, and additional properties'),
    startUid: FromNext.optional(),
    startCreatedOnTimestamp: FromNext.optional(),
  }),
  output: z.object({
    passes: z.array(z.looseObject({ identifier: z.string() })),
    resultsTotal: z.int(),
    next: Place.nullable().describe('Arguments for the next page'),
  }),
  request: ({ fields, ...query }) => ({
    method: 'POST',
    path: '/api/v3/passinstance/search',
    body: {
      ...query,
      fields: [...new Set(['identifier', ...fields])],
      formatKeyAdditionalProperties: 'name',
    },
  }),
  result: (reply) => {
    const { data, responseMetaData, page } = reply as SearchReply;
    const passes = data.map((row) => withoutNulls(row) as { identifier: string });
    return { passes, resultsTotal: responseMetaData.resultsTotal, next: placeOf(page.next) };
  },
  ifUnknown: FIND_TEMPLATE,
  ifInvalid:
    'Conditions look like {"field": "voided", "operator": "isFalse"}; describe_template names additional properties.',
});

const Entry = z.looseObject({
  id: z.string(),
  at: z.iso.datetime(),
  type: z.string(),
  actor: z.string().optional().describe('Who changed the pass'),
  changes: z.array(z.string()).optional().describe('Names of changed fields'),
});

interface ApiEntry {
  actor: { type: string; name: string | null } | null;
  changes: { field: string; new?: boolean }[];
}

const changeWord = (change: ApiEntry['changes'][number]) =>
  change.new === undefined ? change.field : `${change.field}=${change.new}`;

export const passTimeline = tool({
  name: 'pass_timeline',
  title: 'Show the timeline of a pass',
  description:
    'Shows what happened to a pass and why a phone has not updated: changes, pushes, device requests, scans and messages. Newest first.',
  operation: 'listPassTimeline',
  scope: 'passes:read',
  hints: READS,
  input: z.strictObject({
    id: PassId,
    pageSize: PageSize,
    startUid: textArgument('`id` of the last entry on the previous page').optional(),
  }),
  output: z.object({ entries: z.array(Entry) }),
  request: ({ id, pageSize, startUid }) => ({
    method: 'GET',
    path: `/api/v3/pass/${segment(id)}/timeline`,
    query: { pageSize, startUid },
  }),
  result: (reply) => ({
    entries: (dataOf(reply) as ApiEntry[]).map(({ actor, changes, ...entry }) => ({
      ...(withoutNulls(entry) as z.infer<typeof Entry>),
      ...(actor ? { actor: actor.name ?? actor.type } : {}),
      ...(changes.length > 0 ? { changes: changes.map(changeWord) } : {}),
    })),
  }),
  ifUnknown: FIND_PASS,
});
