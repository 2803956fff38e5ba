import type { Client } from './api.ts';
import { d1 } from './control.ts';

/** A link to the scanner app, with details for tests. */
export interface ScannerLink {
  configurationId: string;
  /** `/scan/{token}` */
  path: string;
  pin: string;
  /** Makes the link expire now. */
  expire(): Promise<void>;
}

/** Results stay until touched, so that tests need not be fast. */
export const STAYS = { timeToShowAutoSaveConfirmation: 0 };

/** Creates a configuration with a link, like a caller of the API. */
export async function createScanner(
  client: Client,
  configuration: Record<string, unknown> = {},
  link: Record<string, unknown> = {},
): Promise<ScannerLink> {
  const made = await client.post('/api/appconfiguration', { name: 'Main entrance', scanMode: 0, ...configuration });
  const { configurationId } = made.body.configuration[0];
  const { body } = await client.post(`/api/appconfiguration/${configurationId}/link`, link);
  return {
    configurationId,
    path: new URL(body.branchLink).pathname,
    pin: body.unlockPin,
    async expire() {
      await d1('update app_configuration_links set valid_to_at = 0 where id = ?', [body.identifier]);
    },
  };
}
