import { describe, expect, test } from 'vitest';
import { REARM_MILLIS, Sightings } from '../../../src/pages/scanner/client/camera/sightings.ts';

describe('a code in view', () => {
  test('counts when it appears', () => {
    expect(new Sightings().isNew('a', 0)).toBe(true);
  });

  test('does not count again as long as it stays, however long', () => {
    const sightings = new Sightings();
    sightings.isNew('a', 0);
    const again = Array.from({ length: 100 }, (_, i) => sightings.isNew('a', (i + 1) * (REARM_MILLIS - 1)));
    expect(again).not.toContain(true);
  });

  test('counts again after it was out of view', () => {
    const sightings = new Sightings();
    sightings.isNew('a', 0);
    expect(sightings.isNew('a', REARM_MILLIS)).toBe(true);
  });

  test('that appeared while the app was busy counts when it is ready', () => {
    const sightings = new Sightings();
    sightings.isNew('a', 0);
    sightings.overlook('b', 1);
    expect(sightings.isNew('b', 2)).toBe(true);
  });

  test('that stayed while the app was busy does not count again', () => {
    const sightings = new Sightings();
    sightings.isNew('a', 0);
    sightings.overlook('a', REARM_MILLIS - 1);
    expect(sightings.isNew('a', REARM_MILLIS + 1)).toBe(false);
  });

  test('counts at once if it is another one', () => {
    const sightings = new Sightings();
    sightings.isNew('a', 0);
    expect(sightings.isNew('b', 1)).toBe(true);
  });
});
