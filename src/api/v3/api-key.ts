import { Hono } from 'hono';
import * as z from 'zod';
import { ownerOfKey } from '../../domain/api-keys/authenticate.ts';
import { createApiKey, NewApiKey } from '../../domain/api-keys/create-api-key.ts';
import { type ApiKeyFacts, getApiKey, listKeyPage } from '../../domain/api-keys/list-api-keys.ts';
import {
  ApiKeyPatch,
  deleteApiKey,
  Rotation,
  rotateApiKey,
  updateApiKey,
} from '../../domain/api-keys/manage-api-key.ts';
import { EVERY_SCOPE, SCOPES } from '../../domain/api-keys/scopes.ts';
import { OwnId, UUID_HINT } from '../../domain/fields.ts';
import { rowsOf } from '../../platform/batch-part.ts';
import { lowerUuid } from '../../platform/ids.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema, NoData } from '../envelope.ts';
import { TEMPLATE_ID_EXAMPLE } from '../examples.ts';
import { operationsWith, PageSize, validate } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { iso, isoOrNull, like, text, textOrNull } from '../view-fields.ts';

const operation = operationsWith({ tag: 'API keys', scope: 'keys:manage' });

const Moment = like(z.iso.datetime(), '2027-01-31T07:30:00.000Z');
const MomentOrNull = like(z.iso.datetime().nullable(), null);

const KeyView = z.object({
  identifier: z.uuid(),
  name: text('Ticket shop'),
  active: like(z.boolean(), true),
  scopes: like(z.array(z.enum([...SCOPES, EVERY_SCOPE])), ['passes:write', 'templates:read']),
  templateIds: like(z.array(z.uuid()).nullable(), [TEMPLATE_ID_EXAMPLE]).describe('Null: all templates'),
  allowedIps: like(z.array(z.string()).nullable(), ['203.0.113.0/24']).describe('Null: all addresses'),
  expiresAt: MomentOrNull.describe('Null: never'),
  createdAt: Moment,
  createdBy: z.object({
    type: z
      .enum(['api_key', 'user', 'scanner_link', 'operator', 'system'])
      .nullable()
      .describe('Null if it was not recorded'),
    id: textOrNull('01980b5e-4a30-7a52-9c11-0242ac120002'),
    name: textOrNull('ada@example.com'),
  }),
  lastUsedAt: MomentOrNull.describe('Accurate to a minute. Null: never'),
  previousValueExpiresAt: MomentOrNull.describe('The previous value works until then. Null: it no longer works'),
});

const ValueView = text(`pk_${'A'.repeat(16)}_${'a'.repeat(43)}`).describe('The value of the key, returned only here');

const ListQuery = z.object({
  pageSize: PageSize,
  startUid: OwnId.pipe(z.uuid(UUID_HINT)).optional().describe('Identifier of the last key on the previous page'),
});

const NO_MORE =
  'The key can have only scopes, templates and addresses that your own key has, and it can’t expire later.';

export const apiKeyRoutes = new Hono<ApiEnv>()
  .get(
    '/',
    operation({
      id: 'listApiKeys',
      summary: 'List API keys',
      description: 'Newest first. A key with `templateIds` sees only keys that are restricted to these templates.',
      replies: { 200: { description: 'API keys without their values', schema: envelopeV3Schema(z.array(KeyView)) } },
    }),
    readAhead('query', ListQuery, (key, { pageSize, startUid }) =>
      rowsOf(listKeyPage(ownerOfKey(key), { before: startUid, limit: pageSize })),
    ),
    (c) => {
      const keys = c.var.ahead;
      return envelopeV3(c, { description: 'API keys', data: keys.map(keyView), count: keys.length });
    },
  )
  .post(
    '/',
    operation({
      id: 'createApiKey',
      summary: 'Create an API key',
      description: `${NO_MORE} Without \`scopes\` it has all scopes. An account can have at most 1,000 API keys.`,
      example: { name: 'Ticket shop', scopes: ['passes:write', 'templates:read'], allowedIps: ['203.0.113.0/24'] },
      replies: {
        201: { description: 'Created', schema: envelopeV3Schema(KeyView.extend({ apiKey: ValueView })) },
      },
    }),
    validate('json', NewApiKey),
    async (c) => {
      const { ctx, rights } = c.var;
      const { apiKey, apiKeyId } = await createApiKey(ctx, c.req.valid('json'), rights);
      const data = { ...keyView(await getApiKey(ctx, apiKeyId)), apiKey };
      return envelopeV3(c, { description: 'API key created', data, statusCode: 201, count: 1 });
    },
  )
  .patch(
    '/:id',
    operation({
      id: 'updateApiKey',
      summary: 'Update an API key',
      description: `Applies from the next request on. Null removes a restriction. ${NO_MORE}`,
      example: { name: 'Ticket shop', active: true },
      conflict: 'The API key is being changed by many requests at once; try again',
      replies: { 200: { description: 'The API key', schema: envelopeV3Schema(KeyView) } },
    }),
    validate('json', ApiKeyPatch),
    async (c) => {
      const { ctx, rights } = c.var;
      const key = await updateApiKey(ctx, lowerUuid(c.req.param('id')), c.req.valid('json'), rights);
      return envelopeV3(c, { description: 'API key updated', data: keyView(key), count: 1 });
    },
  )
  .delete(
    '/:id',
    operation({
      id: 'deleteApiKey',
      summary: 'Delete an API key',
      description: 'The key is rejected from the next request on.',
      replies: { 200: { description: 'Deleted', schema: envelopeV3Schema(NoData) } },
    }),
    async (c) => {
      const { ctx, rights } = c.var;
      await deleteApiKey(ctx, lowerUuid(c.req.param('id')), rights);
      return envelopeV3(c, { description: 'API key deleted', count: 0 });
    },
  )
  .post(
    '/:id/rotate',
    operation({
      id: 'rotateApiKey',
      summary: 'Rotate an API key',
      description:
        'Returns a new value. The previous value works for another `overlapMinutes`; with 0 it stops working at once. ' +
        'If you rotate again in the meantime, only the two newest values work.',
      example: { overlapMinutes: 60 },
      conflict: 'The API key was changed at the same time; try again',
      replies: {
        200: {
          description: 'The new value',
          schema: envelopeV3Schema(
            z.object({
              identifier: z.uuid(),
              apiKey: ValueView,
              previousValueExpiresAt: MomentOrNull.describe('Null: it no longer works'),
            }),
          ),
        },
      },
    }),
    validate('json', Rotation),
    async (c) => {
      const { ctx, rights } = c.var;
      const identifier = lowerUuid(c.req.param('id'));
      const { apiKey, previousUntil } = await rotateApiKey(ctx, identifier, c.req.valid('json'), rights);
      const data = { identifier, apiKey, previousValueExpiresAt: isoOrNull(previousUntil) };
      return envelopeV3(c, { description: 'API key rotated', data, count: 1 });
    },
  );

function keyView(key: ApiKeyFacts): z.infer<typeof KeyView> {
  const { id, name, active, scopes, templateIds, allowedIps, previousUntil } = key;
  return {
    identifier: id,
    ...{ name, active, scopes, templateIds, allowedIps },
    expiresAt: isoOrNull(key.expiresAt),
    createdAt: iso(key.createdAt),
    createdBy: { type: key.createdByType, id: key.createdById, name: key.createdBy },
    lastUsedAt: isoOrNull(key.lastUsedAt),
    previousValueExpiresAt: isoOrNull(previousUntil !== null && previousUntil > Date.now() ? previousUntil : null),
  };
}
