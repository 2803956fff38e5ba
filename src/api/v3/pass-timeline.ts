import { Hono } from 'hono';
import * as z from 'zod';
import { FACT_RETENTION_DAYS } from '../../domain/pass-facts/purge-facts.ts';
import { ENTRY_ID, getTimeline, parsePlace } from '../../domain/timeline/get-timeline.ts';
import type { TimelineEntry } from '../../domain/timeline/timeline-entry.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema } from '../envelope.ts';
import { operation, PageSize } from '../operation.ts';
import { readPassAhead, toShownPass } from '../pass-ahead.ts';
import { readAhead } from '../read-ahead.ts';
import { Count, like, text, textOrNull } from '../view-fields.ts';

const ID_EXAMPLE = '1801384200000-2f1c9a7be04d5a18';

const ListQuery = z.object({
  pageSize: PageSize,
  startUid: z
    .string()
    .regex(ENTRY_ID, `must be the \`id\` of an entry, such as ${ID_EXAMPLE}`)
    .optional()
    .describe('Identifier of the last entry on the previous page'),
});

const TYPES = [
  'created',
  'changed',
  'template_published',
  'device_added',
  'device_removed',
  'push_pending',
  'push_answered',
  'push_given_up',
  'device_asked',
  'file_downloaded',
  'scanned',
  'message',
  'image_failed',
] as const satisfies TimelineEntry['type'][];

const none = (of: string) => `Only for \`${of}\``;

const EntryView = z.object({
  id: text(ID_EXAMPLE),
  at: like(z.iso.datetime(), '2027-01-31T07:30:00.000Z'),
  type: z.enum(TYPES).meta({ examples: ['push_answered'] }),
  actor: z
    .object({
      type: z.enum(['api_key', 'user', 'scanner_link', 'operator', 'system']),
      id: textOrNull('01980b5e-4a30-7a52-9c11-0242ac120002'),
      name: textOrNull('Checkout').describe('null if the key, member or link is gone'),
    })
    .nullable()
    .describe('Who changed the pass; null for other types'),
  changes: z
    .array(z.object({ field: z.string(), new: z.boolean().optional() }))
    .meta({ examples: [[{ field: 'points' }]] })
    .describe('Changed members and additional properties, without values'),
  version: like(z.int().optional(), 4).describe(
    'Version of the pass: after the change, or the one that the device or Google received',
  ),
  templateVersion: like(z.int().optional(), 2).describe('Version of the template, likewise'),
  notifies: like(z.boolean().optional(), true).describe(`${none('changed')}: whether devices are notified`),
  wallet: z.enum(['apple', 'google']).optional(),
  device: text('9f86d081')
    .optional()
    .describe(
      'Identifies a device with Apple Wallet. A file request doesn’t identify its device, so `file_downloaded` has none',
    ),
  active: like(z.boolean().optional(), true).describe(`${none('device_added')}: whether the device still has the pass`),
  attempts: like(z.int().optional(), 0).describe(`${none('push_pending')}: number of attempts`),
  cause: z
    .enum(['change', 'text', 'template'])
    .optional()
    .describe('Cause of the push: a change of the pass, a text to many passes, or a template version'),
  devices: z
    .object({ accepted: Count, unregistered: Count, refused: Count, postponed: Count })
    .optional()
    .describe('Notified devices by the answer of Apple’s push service'),
  outcome: z.enum(['accepted', 'refused', 'postponed']).optional().describe('Google’s answer'),
  reason: text('wrong_place')
    .optional()
    .describe('Why a device was refused or postponed, a scan was not accepted, or an image was not imported'),
  unchanged: like(z.boolean().optional(), false).describe(
    `${none('file_downloaded')}: whether the device already had this version`,
  ),
  undone: like(z.boolean().optional(), false).describe(`${none('scanned')}: whether the scan was undone`),
  channel: text('email').optional(),
  status: text('sent').optional().describe('Status of the message, or HTTP status of Google’s answer'),
});

export const passTimelineRoute = new Hono<ApiEnv>().get(
  '/:id/timeline',
  operation({
    id: 'listPassTimeline',
    summary: 'List the timeline of a pass',
    description:
      'Newest first. Shows why a device has not updated: what changed and who changed it, how many ' +
      'devices were notified, what the push services replied, when a device asked for changes, and which ' +
      `version it received. Changes, pushes, requests and downloads are kept for ${FACT_RETENTION_DAYS} ` +
      'days, messages as long as in the console. Members of an entry depend on its `type`.',
    tag: 'Passes',
    scope: 'passes:read',
    replies: { 200: { description: 'Entries', schema: envelopeV3Schema(z.array(EntryView)) } },
  }),
  readAhead('query', ListQuery, (key, _, { id }) => readPassAhead(key, id)),
  async (c) => {
    const { pass } = toShownPass(c.var.ahead);
    const { pageSize, startUid = '' } = c.req.valid('query');
    const { entries } = await getTimeline(c.var.ctx, pass.id, { limit: pageSize, before: parsePlace(startUid) });
    const data = entries.map(entryView);
    return envelopeV3(c, { description: 'Pass timeline', data, count: data.length });
  },
);

function entryView(entry: TimelineEntry): z.infer<typeof EntryView> {
  const { id, type } = entry;
  const isChange = entry.type === 'changed';
  return {
    id,
    at: new Date(entry.at).toISOString(),
    type,
    actor: isChange ? entry.actor : null,
    changes: isChange ? entry.members.map(toChange) : [],
    ...detailsView(entry),
  };
}

function toChange(member: string): { field: string; new?: boolean } {
  if (member === 'voided') return { field: 'voided', new: true };
  return member === 'unvoided' ? { field: 'voided', new: false } : { field: member };
}

function detailsView(entry: TimelineEntry): Partial<z.infer<typeof EntryView>> {
  switch (entry.type) {
    case 'created':
      return {};
    case 'changed':
      return { version: entry.version, notifies: entry.isShown };
    case 'template_published':
      return { templateVersion: entry.templateVersion };
    case 'device_added':
      return { wallet: entry.wallet, device: entry.device, active: entry.isActive };
    case 'device_removed':
      return { wallet: entry.wallet, device: entry.device };
    case 'push_pending':
      return { wallet: entry.wallet, attempts: entry.attempts };
    case 'push_answered':
      return answerView(entry);
    case 'push_given_up':
      return { wallet: entry.wallet };
    case 'device_asked':
      return { wallet: 'apple', device: entry.device };
    case 'file_downloaded': {
      const { version, templateVersion, isKnown } = entry;
      return { wallet: 'apple', version, templateVersion, unchanged: isKnown };
    }
    case 'scanned':
      return { reason: entry.reason, undone: entry.isUndone };
    case 'message':
      return { channel: entry.channel, status: entry.status };
    case 'image_failed':
      return { changes: [{ field: entry.member }], reason: entry.reason };
  }
}

function answerView(entry: Extract<TimelineEntry, { type: 'push_answered' }>): Partial<z.infer<typeof EntryView>> {
  if (entry.wallet === 'google') {
    const { wallet, outcome, version, status } = entry;
    return { wallet, outcome, version, status: status === undefined ? undefined : String(status) };
  }
  const { wallet, devices, reason, cause } = entry;
  if (typeof cause === 'number') return { wallet, cause: 'template', templateVersion: cause, devices, reason };
  return { wallet, cause, devices, reason };
}
