import type { Client } from './api.ts';
import { d1 } from './control.ts';

/** A link to the scanner app, with what a test needs to know of it. */
export interface ScannerLink {
  configurationId: string;
  /** `/scan/{token}` */
  path: string;
  pin: string;
  /** Lets the link expire now. */
  expire(): Promise<void>;
}

/** Results stay until they are touched, so that no test has to be quick. */
export const STAYS = { timeToShowAutoSaveConfirmation: 0 };

/** A configuration with a link, as a caller of the API makes them. */
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
