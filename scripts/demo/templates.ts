import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILES = {
  boardingPass: 'boarding-pass-template.json',
  eventTicket: 'event-ticket-template.json',
  storeCard: 'store-card-template.json',
  coupon: 'coupon-template.json',
  generic: 'generic-template.json',
  seasonTicket: 'season-ticket-template.json',
  transitTicket: 'transit-ticket-template.json',
} as const;

/** Key of a demo template: a pass style, or a kind of pass with its own template. */
export type DemoKey = keyof typeof FILES;
export const DEMO_KEYS = Object.keys(FILES) as DemoKey[];

/** Prefix for a picture's file name in a definition file. */
const FILE_PREFIX = 'file:';

/**
 * Returns the demo templates as bodies of `POST /api/v2/pass-template`: this directory's definition files with their
 * pictures as base64. Rejects if a file is missing.
 */
export function demoTemplates(): Promise<{ key: DemoKey; definition: object }[]> {
  return Promise.all(
    DEMO_KEYS.map(async (key) => ({
      key,
      definition: (await withPictures(JSON.parse(await read(FILES[key], 'utf8')))) as object,
    })),
  );
}

async function withPictures(value: unknown): Promise<unknown> {
  if (typeof value === 'string' && value.startsWith(FILE_PREFIX))
    return read(value.slice(FILE_PREFIX.length), 'base64');
  if (Array.isArray(value)) return Promise.all(value.map(withPictures));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(async ([name, part]) => [name, await withPictures(part)]);
  return Object.fromEntries(await Promise.all(members));
}

function read(file: string, encoding: 'utf8' | 'base64'): Promise<string> {
  return readFile(join(import.meta.dirname, file), encoding);
}
