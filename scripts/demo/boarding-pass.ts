import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CreatePassV3Data } from '../../client/src/index.ts';
import { called, walletOf } from '../public-api.ts';

/** `demo.json`, which `npm start` writes. */
export interface DemoFile {
  baseUrl: string;
  apiKey: string;
  templates: { boardingPass: string };
}

export const BODY_FILE = join(import.meta.dirname, 'boarding-pass.json');

/** Creates a boarding pass of the demo template. Throws a `Problem` when the service refuses it. */
export async function createDemoPass({ baseUrl, apiKey, templates }: DemoFile): Promise<CreatePassV3Data> {
  const { data: fields } = JSON.parse(readFileSync(BODY_FILE, 'utf8')) as { data: object };
  const body = { data: { templateId: templates.boardingPass, ...fields } };
  const { data } = await called(walletOf(baseUrl, apiKey).createPassV3({ query: { async: false }, body }));
  return data;
}
