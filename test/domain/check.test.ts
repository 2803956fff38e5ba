import { expect, test } from 'vitest';
import * as z from 'zod';
import { checked } from '../../src/domain/check.ts';
import { type DomainError, describeIssue } from '../../src/domain/errors.ts';

const Schema = z.object({
  name: z.string().max(3),
  count: z.number().min(1).max(3),
  kind: z.enum(['small', 'large']),
  places: z.array(z.string()).min(1).max(2),
  whole: z.int(),
  on: z.boolean(),
  link: z.url(),
  code: z.string().regex(/^[a-z]+$/),
  own: z.string('has words of its own'),
});

function messages(input: unknown): string[] {
  try {
    checked(Schema, input);
    return [];
  } catch (error) {
    return (error as DomainError).issues.map(describeIssue);
  }
}

test('a missing value is reported as required', () => {
  expect(messages({})).toEqual([
    'name: is required',
    'count: is required',
    'kind: is required',
    'places: is required',
    'whole: is required',
    'on: is required',
    'link: is required',
    'code: is required',
    'own: has words of its own',
  ]);
});

test('errors have our own wording, and never the library’s', () => {
  expect(
    messages({ name: 1, count: 'x', kind: 'x', places: 'x', whole: 1.5, on: 1, link: 'x', code: '1', own: 1 }),
  ).toEqual([
    'name: must be a string',
    'count: must be a number',
    'kind: must be one of small, large',
    'places: must be an array',
    'whole: must be an integer',
    'on: must be true or false',
    'link: must be a URL such as https://example.com/logo.png',
    'code: has the wrong format',
    'own: has words of its own',
  ]);
});

test('a text in place of a list is only reported as such, however long it is', () => {
  const good = { name: 'a', count: 1, kind: 'small', whole: 1, on: true, link: 'https://example.com', code: 'abc' };
  expect(messages({ ...good, own: '', places: 'a long text' })).toEqual(['places: must be an array']);
});

test('bounds are named with their unit', () => {
  const good = { kind: 'small', whole: 1, on: true, link: 'https://example.com', code: 'abc', own: '' };
  expect(messages({ ...good, name: 'long', count: 4, places: ['a', 'b', 'c'] })).toEqual([
    'name: must have at most 3 characters',
    'count: must be at most 3',
    'places: must have at most 2 entries',
  ]);
  expect(messages({ ...good, name: 'abc', count: 0, places: [] })).toEqual([
    'count: must be at least 1',
    'places: must have at least 1 entry',
  ]);
  expect(messages({ ...good, name: 'abc', count: 1, places: ['a'] })).toEqual([]);
});

test('the allowed values are named, whether one or several', () => {
  const one = z.object({ version: z.literal(2), size: z.literal(['s', 'm']) });
  expect(() => checked(one, { version: 3, size: 's' })).toThrow('must be 2');
  expect(() => checked(one, { version: 2, size: 'l' })).toThrow('must be one of s, m');
});
