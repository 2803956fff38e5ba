import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { send } from '../../support/api.ts';
import { VIEW_ENTRY } from '../../support/audit.ts';
import { costOf } from '../../support/control.ts';
import { D1_FAULTS } from '../../support/d1-faults.ts';
import type { Visitor } from './browser-session.ts';

const FIRST_LOAD_BYTES_MAX = 100 * 1024;
const ROUND_TRIPS_MAX = 3;

/**
 * Opens a page and expects its first load to be light: the page with all that it loads at most 100 KB compressed, and
 * at most three round trips to D1, beside the entry of a view (`isView`) of personal data and those of an account that
 * lives `apart`. Returns its HTML.
 */
export async function openLight(visitor: Visitor, path: string, { isView = false } = {}): Promise<string> {
  const reply = await visitor.get(path);
  expect([reply.status, path]).toEqual([200, path]);
  // Where D1 fails, a request that is tried again asks more often.
  const counted = ROUND_TRIPS_MAX + visitor.apart + (isView ? VIEW_ENTRY : 0);
  const roundTripsMax = process.env[D1_FAULTS] ? Number.POSITIVE_INFINITY : counted;
  expect((await costOf(reply)).roundTrips, path).toBeLessThanOrEqual(roundTripsMax);
  const html = String(reply.body);
  const addresses = [...html.matchAll(/<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)"/g)];
  const parts = await Promise.all(addresses.map(async ([, path]) => (await send('GET', path as `/${string}`)).body));
  const bytes = [html, ...parts].map((part) => gzipSync(part as string).byteLength);
  expect(
    bytes.reduce((sum, one) => sum + one, 0),
    path,
  ).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX);
  return html;
}
