import { toBase64 } from '../../platform/crypto.ts';
import { der, objectIdentifier, TAG, unsignedInteger } from '../../platform/der.ts';

/** Apple requires RSA keys of 2,048 bits (Apple Developer, "Create a certificate signing request"). */
const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: Uint8Array.of(1, 0, 1),
  modulusLength: 2048,
};

const OID_COMMON_NAME = objectIdentifier('2.5.4.3');
const OID_SHA256_WITH_RSA = objectIdentifier('1.2.840.113549.1.1.11');
const VERSION_0 = unsignedInteger(Uint8Array.of(0));
/** Maximum number of characters of an `X.520` common name (RFC 5280, appendix A.1). */
const COMMON_NAME_CHARS_MAX = 64;

export interface NewSigningRequest {
  /** PKCS#8 PEM. */
  privateKeyPem: string;
  /** PKCS#10 PEM (RFC 2986), which Apple accepts as `.certSigningRequest`. */
  requestPem: string;
}

/** Creates a key and the request for its certificate. Apple sets its own subject in the certificate. */
export async function newSigningRequest(commonName: string): Promise<NewSigningRequest> {
  const { publicKey, privateKey } = (await crypto.subtle.generateKey(RSA, true, ['sign', 'verify'])) as CryptoKeyPair;
  const exported = (format: 'pkcs8' | 'spki', key: CryptoKey) => crypto.subtle.exportKey(format, key);
  const spki = new Uint8Array((await exported('spki', publicKey)) as ArrayBuffer);
  const pkcs8 = new Uint8Array((await exported('pkcs8', privateKey)) as ArrayBuffer);
  const name = new TextEncoder().encode([...commonName].slice(0, COMMON_NAME_CHARS_MAX).join(''));
  const subject = der(TAG.sequence, der(TAG.set, der(TAG.sequence, OID_COMMON_NAME, der(TAG.utf8String, name))));
  // Without attributes, which would be in the last part.
  const info = der(TAG.sequence, VERSION_0, subject, spki, der(TAG.context0));
  const signature = new Uint8Array(await crypto.subtle.sign(RSA.name, privateKey, info));
  const request = der(
    TAG.sequence,
    info,
    der(TAG.sequence, OID_SHA256_WITH_RSA, der(TAG.null)),
    // No bit of the last octet is unused.
    der(TAG.bitString, Uint8Array.of(0), signature),
  );
  return { privateKeyPem: pem('PRIVATE KEY', pkcs8), requestPem: pem('CERTIFICATE REQUEST', request) };
}

function pem(label: string, bytes: Uint8Array): string {
  const lines = toBase64(bytes).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
