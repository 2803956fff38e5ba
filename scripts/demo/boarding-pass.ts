import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { postApi } from '../public-api.ts';

/** `demo.json`, which `npm start` writes. */
export interface DemoFile {
  baseUrl: string;
  apiKey: string;
  templates: { boardingPass: string };
}

export interface DemoPass {
  identifier: string;
  downloadPage: string;
  passFileUri: string;
  walletSaveUri: string | null;
}

export const BODY_FILE = join(import.meta.dirname, 'boarding-pass.json');

/** Creates a boarding pass of the demo template. Throws a `Problem` when the service refuses it. */
export function createDemoPass(demo: DemoFile): Promise<DemoPass> {
  const body = JSON.parse(readFileSync(BODY_FILE, 'utf8')) as { data: object };
  body.data = { templateId: demo.templates.boardingPass, ...body.data };
  return postApi<DemoPass>(demo.baseUrl, demo.apiKey, '/api/v3/pass?async=false', body);
}
