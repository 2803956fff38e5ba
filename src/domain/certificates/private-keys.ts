import { decrypt } from '../../platform/crypto.ts';
import { Lru } from '../../platform/lru.ts';

const KEYS_CACHED_MAX = 200;

/** PKCS#8 PEM by the row that holds it. Rows never change, so an isolate may keep what it decrypted. */
const opened = new Lru<string>(KEYS_CACHED_MAX);

/** The private key of a certificate or issuer as PKCS#8 PEM. Throws when ENCRYPTION_KEY is not the one that sealed it. */
export async function openPrivateKey(
  encryptionKey: string,
  row: { id: string; privateKeySealed: string },
): Promise<string> {
  const known = opened.get(row.id);
  if (known) return known;
  const pem = await decrypt(encryptionKey, row.id, row.privateKeySealed);
  opened.set(row.id, pem);
  return pem;
}
