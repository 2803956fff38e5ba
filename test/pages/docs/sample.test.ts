import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Schema } from '../../../src/pages/docs/contract.ts';
import { replySample, sampleOf } from '../../../src/pages/docs/sample.ts';

const json = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'output' }) as Schema;

const Envelope = z.object({
  success: z.boolean(),
  description: z.string(),
  errors: z.array(z.string()),
  data: z.object({
    identifier: z.uuid(),
    kind: z.enum(['a', 'b']),
    note: z.string().nullable(),
    tags: z.array(z.string()),
  }),
  statusCode: z.int(),
  responseMetaData: z.record(z.string(), z.int()).nullable(),
});

describe('sampleOf', () => {
  test('matches its schema', () => {
    expect(Envelope.safeParse(sampleOf(json(Envelope), {})).error).toBeUndefined();
  });

  test('uses the default or the first value in the schema', () => {
    expect(sampleOf({ type: 'integer', default: 7 }, {})).toBe(7);
    expect(sampleOf({ enum: ['x', 'y'] }, {})).toBe('x');
  });

  test('terminates for a schema that contains itself', () => {
    const named: Record<string, Schema> = {
      '#/tree': { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/tree' } } } },
    };
    expect(JSON.stringify(sampleOf({ $ref: '#/tree' }, named)).length).toBeLessThan(1_000);
  });
});

describe('replySample', () => {
  test('has the service’s values in the envelope', () => {
    const reply = { status: 201, description: 'Created', content: { schema: json(Envelope) } };
    expect(replySample(reply, {})).toMatchObject({
      success: true,
      description: 'Created',
      errors: [],
      statusCode: 201,
      data: { kind: 'a' },
    });
  });

  test('shows a failure as a failure', () => {
    const schema = json(z.object({ ErrorMessage: z.string() }));
    const reply = { status: 401, description: 'Invalid API key', content: { schema } };
    expect(replySample(reply, {})).toEqual({ ErrorMessage: 'Invalid API key' });
  });

  test('prefers the document’s example, and shows none for a reply without a body', () => {
    const content = { schema: json(Envelope), example: { mine: true } };
    expect(replySample({ status: 200, description: '', content }, {})).toEqual({ mine: true });
    expect(replySample({ status: 204, description: 'Marked' }, {})).toBeUndefined();
  });
});
