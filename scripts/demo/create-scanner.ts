import { called, walletOf } from '../public-api.ts';

const SCANNER = {
  name: 'Main entrance',
  place: 'Foyer',
  scanMode: 0,
  backgroundColor: '#14213d',
  textColor: '#ffffff',
} as const;
/** The demo's link never requires a PIN. */
const LINK_VALID_TO = '2999-12-31 23:59';

/**
 * Creates a scanner for the passes of all templates and returns its link's path. The idempotency keys let an
 * interrupted start find what it created before.
 */
export async function createScanner(origin: string, apiKey: string): Promise<string> {
  const wallet = walletOf(origin, apiKey);
  const { configuration } = await called(
    wallet.createAppConfiguration({ body: SCANNER }, { idempotencyKey: 'demo-gate' }),
  );
  const path = { configuration: configuration[0]!.configurationId };
  const { branchLink } = await called(
    wallet.createAppConfigurationLink({ path, body: { validTo: LINK_VALID_TO } }, { idempotencyKey: 'demo-gate-link' }),
  );
  return new URL(branchLink).pathname;
}
