import { Hono } from 'hono';
import * as z from 'zod';
import { ownerOfKey } from '../../domain/api-keys/authenticate.ts';
import { Title } from '../../domain/fields.ts';
import { createSegment, deleteSegment, listSegments } from '../../domain/search/segments.ts';
import { rowsOf } from '../../platform/batch-part.ts';
import { lowerUuid } from '../../platform/ids.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema, NoData } from '../envelope.ts';
import { operationsWith, validate } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { like, text } from '../view-fields.ts';
import { QUERY_EXAMPLE, QueryInput } from './search-input.ts';

const operation = operationsWith({ tag: 'Search' });

const SegmentInput = z.object({ title: Title, query: QueryInput });
const SegmentItem = z.object({
  identifier: z.uuid(),
  title: text('Gold members'),
  query: like(QueryInput, QUERY_EXAMPLE),
});

export const segmentRoutes = new Hono<ApiEnv>()
  .get(
    '/',
    operation({
      id: 'listSegments',
      summary: 'List segments',
      scope: 'passes:read',
      replies: { 200: { description: 'All segments, oldest first', schema: envelopeV3Schema(z.array(SegmentItem)) } },
    }),
    readAhead('query', z.object({}), (key) => rowsOf(listSegments(ownerOfKey(key)))),
    (c) => {
      const data = c.var.ahead;
      return envelopeV3(c, { description: 'Segments', data, count: data.length });
    },
  )
  .post(
    '/',
    operation({
      id: 'createSegment',
      summary: 'Create a segment',
      description:
        'A segment is a stored query. The pass list and bulk operations run it again each time they use its `segmentId`. ' +
        'An account can have at most 1,000 segments, with 2,000,000 characters in all.',
      scope: 'passes:write',
      example: { title: 'Gold members', query: QUERY_EXAMPLE },
      replies: { 201: { description: 'Created', schema: envelopeV3Schema(z.object({ identifier: z.uuid() })) } },
      failures: [404],
    }),
    validate('json', SegmentInput),
    async (c) => {
      const { title, query } = c.req.valid('json');
      const identifier = await createSegment(c.var.ctx, title, query);
      return envelopeV3(c, { description: 'Segment created', data: { identifier }, statusCode: 201, count: 1 });
    },
  )
  .delete(
    '/:id',
    operation({
      id: 'deleteSegment',
      summary: 'Delete a segment',
      description: 'Its passes stay.',
      scope: 'passes:write',
      replies: { 200: { description: 'Deleted', schema: envelopeV3Schema(NoData) } },
    }),
    async (c) => {
      await deleteSegment(c.var.ctx, lowerUuid(c.req.param('id')));
      return envelopeV3(c, { description: 'Segment deleted', count: 0 });
    },
  );
