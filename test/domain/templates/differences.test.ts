import { describe, expect, test } from 'vitest';
import { differences } from '../../../src/domain/templates/differences.ts';

const field = (key: string, more: object = {}) => ({ key, type: 'text', label: key, value: '', ...more });
const withFields = (...headerFields: object[]) => ({ fields: { headerFields } });

describe('what differs between two definitions', () => {
  test('is nothing between absent, null, false and empty', () => {
    const before = { a: null, b: '', c: false, d: [], e: { f: null }, ...withFields(field('x', { row: null })) };
    expect(differences(before, withFields(field('x', { isRelative: false, value: '' })))).toEqual([]);
    expect(differences({}, before)).toMatchObject([{ path: ['fields'] }]);
  });

  test('is each member that was changed, added or removed', () => {
    const before = { name: 'A', colors: { backgroundColor: '#111111', labelColor: '#222222' }, maxPasses: 0 };
    const after = { name: 'A', colors: { backgroundColor: '#333333' }, maxPasses: 1, logoText: 'L' };
    expect(differences(before, after)).toEqual([
      { path: ['colors', 'backgroundColor'], before: '#111111', after: '#333333' },
      { path: ['colors', 'labelColor'], before: '#222222', after: undefined },
      { path: ['maxPasses'], before: 0, after: 1 },
      { path: ['logoText'], before: undefined, after: 'L' },
    ]);
  });

  test('distinguishes zero and true from nothing', () => {
    expect(differences({}, { maxPasses: 0, downloadPinEnabled: true })).toEqual([
      { path: ['maxPasses'], before: undefined, after: 0 },
      { path: ['downloadPinEnabled'], before: undefined, after: true },
    ]);
  });

  test('matches items of a keyed list by key, at any position', () => {
    const before = withFields(field('a'), field('b'), field('gone'));
    const after = withFields(field('b', { label: 'New' }), field('a', { index: 7 }), field('come'));
    expect(differences(before, after)).toEqual([
      { path: ['fields', 'headerFields'], before: ['a', 'b'], after: ['b', 'a'] },
      { path: ['fields', 'headerFields', 'b', 'label'], before: 'b', after: 'New' },
      { path: ['fields', 'headerFields', 'gone'], before: expect.objectContaining({ key: 'gone' }), after: undefined },
      { path: ['fields', 'headerFields', 'come'], before: undefined, after: expect.objectContaining({ key: 'come' }) },
    ]);
  });

  test('compares other lists as a whole, in order', () => {
    expect(differences({ validValidationPlaces: ['A', 'B'] }, { validValidationPlaces: ['B', 'A'] })).toEqual([
      { path: ['validValidationPlaces'], before: ['A', 'B'], after: ['B', 'A'] },
    ]);
    const places = [{ latitude: 1 }];
    expect(differences({ locations: places }, { locations: [] })).toEqual([
      { path: ['locations'], before: places, after: undefined },
    ]);
  });
});
