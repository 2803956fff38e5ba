import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Key of a demo template: the pass style that it shows, in the order of a demo page. */
export type DemoKey = 'boardingPass' | 'eventTicket' | 'storeCard' | 'coupon' | 'generic';

const FILES: Record<DemoKey, string> = {
  boardingPass: 'boarding-pass-template.json',
  eventTicket: 'event-ticket-template.json',
  storeCard: 'store-card-template.json',
  coupon: 'coupon-template.json',
  generic: 'generic-template.json',
};

/** How a definition file names a picture beside it. */
const FILE_PREFIX = 'file:';

/**
 * The demo templates as bodies of `POST /api/v2/pass-template`, one for each pass style: the definition files of this
 * directory with their pictures as base64. Rejects when a file is missing.
 */
export function demoTemplates(): Promise<{ key: DemoKey; definition: object }[]> {
  return Promise.all(
    (Object.keys(FILES) as DemoKey[]).map(async (key) => {
      const definition = JSON.parse(await read(FILES[key], 'utf8')) as {
        images: Record<string, unknown>;
      };
      return {
        key,
        definition: {
          ...definition,
          images: await inlineImages(definition.images),
        },
      };
    }),
  );
}

async function inlineImages(images: Record<string, unknown>): Promise<Record<string, unknown>> {
  const inlined = Object.entries(images).map(async ([role, source]) => [
    role,
    typeof source === 'string' && source.startsWith(FILE_PREFIX)
      ? await read(source.slice(FILE_PREFIX.length), 'base64')
      : source,
  ]);
  return Object.fromEntries(await Promise.all(inlined));
}

function read(file: string, encoding: 'utf8' | 'base64'): Promise<string> {
  return readFile(join(import.meta.dirname, file), encoding);
}
