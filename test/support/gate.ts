import type { Client } from './api.ts';

/** A link to the gate app, with what a test needs to know of it. */
export interface GateLink {
  configurationId: string;
  /** `/scan/{token}` */
  path: string;
  pin: string;
}

/** A configuration with a link, as a caller of the API makes them. */
export async function createGate(
  client: Client,
  configuration: Record<string, unknown> = {},
  link: Record<string, unknown> = {},
): Promise<GateLink> {
  const made = await client.post('/api/appconfiguration', { name: 'Main entrance', scanMode: 0, ...configuration });
  const { configurationId } = made.body.configuration[0];
  const { body } = await client.post(`/api/appconfiguration/${configurationId}/link`, link);
  return { configurationId, path: new URL(body.branchLink).pathname, pin: body.unlockPin };
}
