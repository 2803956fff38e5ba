import { createHash } from 'node:crypto';
import type { DemoKey } from './templates.ts';

/** Digests of definitions that an earlier release created for some demo templates. */
const EARLIER: Partial<Record<DemoKey, string>> = {
  boardingPass: '58a918873e2bcea2',
  storeCard: '8b37b55f2038e4e6',
  eventTicket: 'ec271bacdf884659',
  generic: '29f2959aaca4a75f',
};

/** Members that differ between services or releases, although nobody changed the template. */
const LEFT_OUT = ['identifier', 'projectId', 'images', 'id'];

/**
 * Whether a definition, as the API describes it, is the one from an earlier release. A definition changed since then
 * isn't, and is kept.
 */
export function isOutdated(key: DemoKey, described: object): boolean {
  return digestOf(described) === EARLIER[key];
}

function digestOf(described: object): string {
  return createHash('sha256')
    .update(JSON.stringify(whatItSays(described)))
    .digest('hex')
    .slice(0, 16);
}

/** Normalizes a value: sorts its members and drops empty or false ones, which a later release may add. */
function whatItSays(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(whatItSays);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .map(([name, part]) => [name, whatItSays(part)] as const)
    .filter(([name, part]) => !LEFT_OUT.includes(name) && !isEmpty(part))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === false;
}
