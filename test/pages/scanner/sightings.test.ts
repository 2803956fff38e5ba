import { describe, expect, test } from 'vitest';
import { REARM_MILLIS, Sightings } from '../../../src/pages/scanner/client/camera/sightings.ts';

describe('a code in view', () => {
  test('counts when it comes', () => {
    expect(new Sightings().isNew('a', 0)).toBe(true);
  });

  test('does not count again as long as it stays, however long', () => {
    const sightings = new Sightings();
    sightings.isNew('a', 0);
    const again = Array.from({ length: 100 }, (_, i) => sightings.isNew('a', (i + 1) * (REARM_MILLIS - 1)));
    expect(again).not.toContain(true);
  });

  test('counts again after it was away', () => {
    const sightings = new Sightings();
    sightings.isNew('a', 0);
    expect(sightings.isNew('a', REARM_MILLIS)).toBe(true);
  });

  test('that came while nothing could be done about it counts when something can', () => {
    const sightings = new Sightings();
    sightings.isNew('a', 0);
    sightings.overlook('b', 1);
    expect(sightings.isNew('b', 2)).toBe(true);
  });

  test('that stayed while nothing could be done about it does not count again', () => {
    const sightings = new Sightings();
    sightings.isNew('a', 0);
    sightings.overlook('a', REARM_MILLIS - 1);
    expect(sightings.isNew('a', REARM_MILLIS + 1)).toBe(false);
  });

  test('counts at once when it is another one', () => {
    const sightings = new Sightings();
    sightings.isNew('a', 0);
    expect(sightings.isNew('b', 1)).toBe(true);
  });
});
