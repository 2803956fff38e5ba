import type { Client, Reply } from './api.ts';
import { recordedEvents } from './event-bodies.ts';

/** An app configuration in an API reply. */
export interface Configuration {
  configurationId: string;
  additionalProperties: { id: string; name: string; type: string }[];
  [member: string]: unknown;
}

/** Creates an app configuration; by default, a scan voids. */
export async function createConfiguration(client: Client, fields: object = {}): Promise<Configuration> {
  const { status, body } = await client.post('/api/appconfiguration', { name: 'Entrance', scanMode: 0, ...fields });
  if (status !== 201) throw new Error(`expected 201, got ${status}: ${JSON.stringify(body)}`);
  return body.configuration[0];
}

/** Scans a barcode with a configuration. */
export function scan(
  client: Client,
  { configurationId }: Pick<Configuration, 'configurationId'>,
  scannedBarcodeValue: string,
  more: object = {},
): Promise<Reply> {
  return client.post('/api/appscan', { appConfigurationId: configurationId, scannedBarcodeValue, ...more });
}

/** Returns types and bodies of a pass's events, oldest first, without its creation. */
export async function eventsOf(passId: string): Promise<{ type: string; body: Record<string, unknown> }[]> {
  return recordedEvents("pass_id = ? and type <> 'pass_created' order by id", [passId]);
}
