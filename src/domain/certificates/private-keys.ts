import { Lru } from '../../platform/lru.ts';
import { decrypt, type KeySettings } from '../../platform/sealed-text.ts';

const KEYS_CACHED_MAX = 200;

/** PKCS#8 PEM by row: the key of a row never changes, only its encryption. */
const opened = new Lru<string>(KEYS_CACHED_MAX);

/**
 * Returns the private key of a certificate or issuer as PKCS#8 PEM. Throws if the key that encrypted it isn't
 * configured.
 */
export async function openPrivateKey(
  settings: KeySettings,
  row: { id: string; privateKeySealed: string },
): Promise<string> {
  const known = opened.get(row.id);
  if (known) return known;
  const pem = await decrypt(settings, row.id, row.privateKeySealed);
  opened.set(row.id, pem);
  return pem;
}
