import { expect, test } from 'vitest';
import { exampleOf } from '../../src/api/openapi.ts';

test.each([
  ['its own example', { type: 'string', examples: ['a', 'b'] }, 'a'],
  ['its only value', { type: 'integer', const: 4 }, 4],
  ['the first of its values', { type: 'string', enum: ['x', 'y'] }, 'x'],
  ['text', { type: 'string' }, 'text'],
  ['a time', { type: 'string', format: 'date-time' }, '2027-01-31T08:30:00.000Z'],
  ['null where it may be', { type: ['integer', 'null'] }, null],
  ['one entry', { type: 'array', items: { type: 'integer' } }, [0]],
  ['no entry where none may be', { type: 'array', items: {}, maxItems: 0 }, []],
  ['the alternative with an example', { anyOf: [{ type: 'integer', examples: [7] }, { type: 'null' }] }, 7],
  [
    'members that are required, or have an example',
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'integer', examples: [3] } },
    },
    { a: 0, c: 3 },
  ],
])('the example of a schema has %s', (_, schema, example) => {
  expect(exampleOf(schema as Parameters<typeof exampleOf>[0])).toEqual(example);
});
