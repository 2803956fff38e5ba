import { postV1 } from '../public-api.ts';

const GATE = {
  name: 'Main entrance',
  place: 'Foyer',
  scanMode: 0,
  backgroundColor: '#14213d',
  textColor: '#ffffff',
};
/** The demo's link never asks for its PIN. */
const GATE_VALID_TO = '2999-12-31 23:59';

/**
 * Makes a gate for the passes of all templates, and returns the path of its link. The idempotency keys let a start that
 * goes on after an interruption find what it made before.
 */
export async function createGate(origin: string, apiKey: string): Promise<string> {
  const { configuration } = await postV1<{ configuration: [{ configurationId: string }] }>(
    origin,
    apiKey,
    '/api/appconfiguration',
    GATE,
    'demo-gate',
  );
  const path = `/api/appconfiguration/${configuration[0].configurationId}/link`;
  const link = await postV1<{ branchLink: string }>(origin, apiKey, path, { validTo: GATE_VALID_TO }, 'demo-gate-link');
  return new URL(link.branchLink).pathname;
}
