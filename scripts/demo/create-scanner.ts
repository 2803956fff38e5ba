import { postV1 } from '../public-api.ts';

const SCANNER = {
  name: 'Main entrance',
  place: 'Foyer',
  scanMode: 0,
  backgroundColor: '#14213d',
  textColor: '#ffffff',
};
/** The demo's link never asks for its PIN. */
const LINK_VALID_TO = '2999-12-31 23:59';

/**
 * Makes a scanner for the passes of all templates and returns the path of its link. The idempotency keys let an
 * interrupted start find what it made before.
 */
export async function createScanner(origin: string, apiKey: string): Promise<string> {
  const { configuration } = await postV1<{ configuration: [{ configurationId: string }] }>(
    origin,
    apiKey,
    '/api/appconfiguration',
    SCANNER,
    'demo-gate',
  );
  const path = `/api/appconfiguration/${configuration[0].configurationId}/link`;
  const link = await postV1<{ branchLink: string }>(origin, apiKey, path, { validTo: LINK_VALID_TO }, 'demo-gate-link');
  return new URL(link.branchLink).pathname;
}
