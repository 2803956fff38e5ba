import { importPKCS8 } from 'jose';

/** The service account of a Google Wallet issuer: it signs save links and calls the REST API. */
export interface GoogleSigner {
  issuerId: string;
  clientEmail: string;
  /** RSA private key, imported for RS256. */
  key: CryptoKey;
  /** Made locally: links are well formed and verifiable, but Google does not know the account. */
  development: boolean;
}

/** Imports a service account's key (PKCS#8 PEM, the `private_key` of Google's JSON key file); throws when it is not an RSA key in that form. */
export async function loadGoogleSigner(issuer: {
  issuerId: string;
  clientEmail: string;
  privateKeyPem: string;
  development: boolean;
}): Promise<GoogleSigner> {
  const { issuerId, clientEmail, privateKeyPem, development } = issuer;
  return { issuerId, clientEmail, key: await importPKCS8(privateKeyPem, 'RS256'), development };
}
