import type { Client, Reply } from './api.ts';
import { recordedEvents } from './event-bodies.ts';

/** An app configuration as the API replies with it. */
export interface Configuration {
  configurationId: string;
  additionalProperties: { id: string; name: string; type: string }[];
  [member: string]: unknown;
}

/** Creates an app configuration; a scan voids unless `fields` say otherwise. */
export async function createConfiguration(client: Client, fields: object = {}): Promise<Configuration> {
  const { status, body } = await client.post('/api/appconfiguration', { name: 'Entrance', scanMode: 0, ...fields });
  if (status !== 201) throw new Error(`expected 201, got ${status}: ${JSON.stringify(body)}`);
  return body.configuration[0];
}

/** Scans a barcode at a configuration. */
export function scan(
  client: Client,
  { configurationId }: Pick<Configuration, 'configurationId'>,
  scannedBarcodeValue: string,
  more: object = {},
): Promise<Reply> {
  return client.post('/api/appscan', { appConfigurationId: configurationId, scannedBarcodeValue, ...more });
}

/** Types and bodies of the events of a pass, oldest first, without its creation. */
export async function eventsOf(passId: string): Promise<{ type: string; body: Record<string, unknown> }[]> {
  return recordedEvents("pass_id = ? and type <> 'pass_created' order by id", [passId]);
}
