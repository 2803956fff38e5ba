import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CreatePassV3Data } from '../../client/src/index.ts';
import { called, walletOf } from '../public-api.ts';
import { DEMO_KEYS, type DemoKey } from './templates.ts';

/** `demo.json`, which `npm start` writes. */
export interface DemoFile {
  baseUrl: string;
  apiKey: string;
  templates: Record<DemoKey, string>;
}

const BOARDING_PASS_FILE = 'boarding-pass.json';
const OTHERS_FILE = 'passes.json';

export const isDemoKey = (text: string): text is DemoKey => (DEMO_KEYS as string[]).includes(text);

/** Returns the path of the file with a template's example pass. */
export function fileOf(key: DemoKey): string {
  return join(import.meta.dirname, key === 'boardingPass' ? BOARDING_PASS_FILE : OTHERS_FILE);
}

/** Returns the fields of a demo template's example pass. */
export function demoPassData(key: DemoKey): Record<string, unknown> {
  const content = JSON.parse(readFileSync(fileOf(key), 'utf8'));
  return key === 'boardingPass' ? content.data : content[key];
}

/** Creates a pass of a demo template. Throws a `Problem` if the service rejects it. */
export async function createDemoPass(demo: DemoFile, key: DemoKey = 'boardingPass'): Promise<CreatePassV3Data> {
  const body = { data: { templateId: demo.templates[key], ...demoPassData(key) } };
  const { data } = await called(walletOf(demo.baseUrl, demo.apiKey).createPassV3({ query: { async: false }, body }));
  return data;
}
