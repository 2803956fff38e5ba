import { Hono } from 'hono';
import * as z from 'zod';
import { ownerOfKey } from '../../domain/api-keys/authenticate.ts';
import {
  type ActionFilter,
  AUDIT_RETENTION_DAYS,
  actionsPart,
  type ListedAction,
} from '../../domain/audit/list-actions.ts';
import { invalidField } from '../../domain/errors.ts';
import { ISO_HINT, OwnId, UUID_HINT } from '../../domain/fields.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema } from '../envelope.ts';
import { operation, PageSize } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { text, textOrNull } from '../view-fields.ts';

/** ISO 8601 with a time zone, or a date, which means its start in UTC. */
const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], ISO_HINT);
const ACTION_HINT = 'must look like template.publish';

const ListQuery = z.object({
  pageSize: PageSize,
  startUid: OwnId.pipe(z.uuid(UUID_HINT)).optional().describe('Identifier of the last entry on the previous page'),
  since: Moment.optional().describe('Start of the period'),
  until: Moment.optional().describe('End of the period'),
  action: z
    .string()
    .max(100, ACTION_HINT)
    .regex(/^[a-z_]+\.[a-z_]+$/, ACTION_HINT)
    .optional()
    .describe('Action, such as `template.publish`'),
  actorId: OwnId.pipe(z.uuid(UUID_HINT))
    .optional()
    .describe('Identifier of the actor: a user, an API key or a scanner link'),
});

const EntryView = z.object({
  id: z.uuid(),
  at: z.iso.datetime(),
  actor: z.object({
    type: z.enum(['api_key', 'user', 'scanner_link', 'operator', 'system']),
    id: textOrNull('01980b5e-4a30-7a52-9c11-0242ac120002'),
    name: text('ada@example.com'),
  }),
  action: text('template.publish'),
  target: z.object({
    type: text('template'),
    id: textOrNull('01980b5e-4a30-7a52-9c11-0242ac120003'),
    name: textOrNull('Season ticket'),
  }),
  ip: textOrNull('203.0.113.7'),
  requestId: z.string().nullable(),
  changes: z
    .array(z.object({ field: z.string(), old: z.unknown().optional(), new: z.unknown().optional() }))
    .meta({ examples: [[{ field: 'version', old: 3, new: 4 }]] }),
});

export const auditLogRoutes = new Hono<ApiEnv>().get(
  '/',
  operation({
    id: 'listAuditLog',
    summary: 'List the audit log',
    description:
      `Newest first. The log covers ${AUDIT_RETENTION_DAYS} days. It holds sign-ins, exports, views of personal ` +
      'data in the console, and every write except scans and writes to single passes. A change names its field. ' +
      'It has old and new values only if they are neither personal nor secret.',
    tag: 'Audit',
    scope: 'audit:read',
    replies: { 200: { description: 'Entries', schema: envelopeV3Schema(z.array(EntryView)) } },
  }),
  readAhead('query', ListQuery, (key, query) => {
    return actionsPart(ownerOfKey(key), filterOf(query), { limit: query.pageSize, beforeId: query.startUid });
  }),
  (c) => {
    filterOf(c.req.valid('query'));
    const data = c.var.ahead.map(entryView);
    return envelopeV3(c, { description: 'Audit log', data, count: data.length });
  },
);

/** Builds the filter of a query. Throws `invalid` for a date that doesn't exist. */
function filterOf({ since, until, action, actorId }: z.output<typeof ListQuery>): ActionFilter {
  return { action, actorId, sinceAt: momentOf('since', since), untilAt: momentOf('until', until) };
}

/** A text can match the pattern and still be no real date. */
function momentOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const millis = Date.parse(text);
  if (Number.isNaN(millis)) throw invalidField(field, ISO_HINT);
  return millis;
}

function entryView({ id, createdAt, actor, action, target, ip, requestId, changes }: ListedAction) {
  return { id, at: new Date(createdAt).toISOString(), actor, action, target, ip, requestId, changes };
}
