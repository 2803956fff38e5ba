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
 * Opens a page and checks its first load: at most 100 KB compressed, including all files, and at most three D1 round
 * trips, plus the audit entry of a view of personal data (`isView`) and those of an account that lives `apart`. Returns
 * the HTML.
 */
export async function openLight(visitor: Visitor, path: string, { isView = false } = {}): Promise<string> {
  const reply = await visitor.get(path);
  expect([reply.status, path]).toEqual([200, path]);
  // When D1 fails, a retried request makes more round trips.
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
