import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Schema } from '../../../src/pages/docs/contract.ts';
import { enumValues, limits, nestedObjects, typeName } from '../../../src/pages/docs/schema-words.ts';

const json = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
const typeOf = (schema: z.ZodType) => typeName(json(schema), {});
const limitsOf = (schema: z.ZodType) => limits(json(schema), {});

describe('typeName', () => {
  test('names plain types, with their format', () => {
    expect(typeOf(z.string())).toBe('string');
    expect(typeOf(z.uuid())).toBe('string (uuid)');
    expect(typeOf(z.int())).toBe('integer');
    expect(typeOf(z.unknown())).toBe('any');
  });

  test('names alternatives', () => {
    expect(typeOf(z.string().max(3).nullable())).toBe('string or null');
    expect(typeOf(z.union([z.string(), z.number(), z.string().max(2)]))).toBe('string or number');
    expect(typeOf(z.enum(['a', 'b']))).toBe('string');
    expect(typeOf(z.literal([0, 1]))).toBe('number');
  });

  test('looks into arrays and maps', () => {
    expect(typeOf(z.array(z.object({ a: z.string() })))).toBe('array of object');
    expect(typeOf(z.array(z.union([z.string(), z.number()])))).toBe('array of (string or number)');
    expect(typeOf(z.array(z.never()).max(0))).toBe('empty array');
    expect(typeOf(z.record(z.string(), z.boolean()))).toBe('object of boolean');
    expect(typeOf(z.record(z.string(), z.unknown()))).toBe('object');
    expect(typeOf(z.object({ a: z.string() }).catchall(z.number()))).toBe('object');
    expect(typeName({ type: 'string', additionalProperties: { type: 'number' } } as Schema, {})).toBe('string');
  });

  test('follows references, and survives one that leads to itself or nowhere', () => {
    const named = { '#/a': { $ref: '#/b' }, '#/b': { type: 'integer' }, '#/loop': { $ref: '#/loop' } };
    expect(typeName({ $ref: '#/a' }, named)).toBe('integer');
    expect(typeName({ $ref: '#/nowhere' }, named)).toBe('any');
    expect(typeName({ $ref: '#/loop' }, named)).toBe('any');
  });
});

describe('limits', () => {
  test('describes lengths and counts in words', () => {
    expect(limitsOf(z.string().min(1).max(10_000))).toEqual(['1 to 10,000 characters']);
    expect(limitsOf(z.string().min(1))).toEqual(['at least 1 character']);
    expect(limitsOf(z.string().length(3))).toEqual(['exactly 3 characters']);
    expect(limitsOf(z.array(z.string()).max(100))).toEqual(['at most 100 items']);
  });

  test('describes ranges, except the range of every JSON number', () => {
    expect(limitsOf(z.number().min(-90).max(90))).toEqual(['-90 to 90']);
    expect(limitsOf(z.int())).toEqual([]);
    expect(limitsOf(z.int().min(0))).toEqual(['at least 0']);
    expect(limitsOf(z.number().gt(0))).toEqual(['more than 0']);
  });

  test('describes defaults and patterns, but no pattern next to a format', () => {
    expect(
      limitsOf(
        z
          .string()
          .regex(/^[A-Z]{3}$/)
          .default('EUR'),
      ),
    ).toEqual(['pattern `^[A-Z]{3}$`', 'default `"EUR"`']);
    expect(limitsOf(z.uuid())).toEqual([]);
  });

  test('finds them in nullable types', () => {
    expect(limitsOf(z.string().max(5).nullable())).toEqual(['at most 5 characters']);
  });
});

describe('enumValues', () => {
  test('finds the values of a schema, of its variants and of its items', () => {
    expect(enumValues(json(z.enum(['a', 'b']).nullable()), {})).toEqual(['a', 'b']);
    expect(enumValues(json(z.array(z.enum(['x']))), {})).toEqual(['x']);
    expect(enumValues(json(z.literal([0, 1]).nullable()), {})).toEqual(['0', '1']);
    expect(enumValues(json(z.string()), {})).toEqual([]);
  });
});

describe('nestedObjects', () => {
  const membersOf = (schema: z.ZodType) =>
    nestedObjects(json(schema), {}).map(({ schema: object, variant }) => [Object.keys(object.properties!), variant]);

  test('finds the object in an array, a map and a nullable type', () => {
    const inner = z.object({ a: z.string() });
    for (const schema of [inner, z.array(inner), z.record(z.string(), inner), inner.nullable()]) {
      expect(membersOf(schema)).toEqual([[['a'], undefined]]);
    }
  });

  test('distinguishes variants, and finds nothing without members', () => {
    const either = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
    expect(membersOf(either)).toEqual([
      [['a'], 'Variant 1'],
      [['b'], 'Variant 2'],
    ]);
    expect(membersOf(z.array(z.string()))).toEqual([]);
    expect(membersOf(z.looseObject({}))).toEqual([]);
  });
});
