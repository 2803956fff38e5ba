import { isInteger, memberOf, readAsn1 } from '../../platform/asn1.ts';

/*
 * What @simplewebauthn/server gets in place of the packages that read certificates: [alias] in wrangler.toml, 230 KiB
 * less. It reads them for attestation by manufacturers only, which the service doesn't look at. It needs one thing of
 * theirs: the two integers of an ES256 signature.
 */

const SEQUENCE = 0x30;

/** The schema of an ES256 signature (RFC 3279, section 2.2.3). */
export class ECDSASigValue {
  readonly r: ArrayBuffer;
  readonly s: ArrayBuffer;

  constructor(r: Uint8Array, s: Uint8Array) {
    [this.r, this.s] = [new Uint8Array(r).buffer, new Uint8Array(s).buffer];
  }
}

export const AsnParser = {
  /** Throws for any schema but that of a signature, and for what is none. */
  parse(bytes: Uint8Array, schema: unknown): ECDSASigValue {
    const value = readAsn1(bytes);
    const [r, s] = [memberOf(value, 0), memberOf(value, 1)];
    const isSignature = value.tag === SEQUENCE && value.members.length === 2 && isInteger(r) && isInteger(s);
    if (schema !== ECDSASigValue || !isSignature) throw new Error('no signature of ES256');
    return new ECDSASigValue(r.content, s.content);
  },
};

const none = undefined;

export {
  none as AuthorityKeyIdentifierExtension,
  none as BasicConstraints,
  none as Certificate,
  none as CRLDistributionPointsExtension,
  none as ECParameters,
  none as ExtendedKeyUsage,
  none as id_ce_basicConstraints,
  none as id_ce_extKeyUsage,
  none as id_ce_keyDescription,
  none as id_ce_subjectAltName,
  none as id_ecdsaWithSHA256,
  none as id_ecdsaWithSHA384,
  none as id_ecdsaWithSHA512,
  none as id_ecPublicKey,
  none as id_ml_dsa_44,
  none as id_ml_dsa_65,
  none as id_ml_dsa_87,
  none as id_rsaEncryption,
  none as id_secp256r1,
  none as id_secp384r1,
  none as id_sha1WithRSAEncryption,
  none as id_sha256WithRSAEncryption,
  none as id_sha384WithRSAEncryption,
  none as id_sha512WithRSAEncryption,
  none as KeyDescription,
  none as OctetString,
  none as RSAPublicKey,
  none as SubjectAlternativeName,
  none as SubjectKeyIdentifierExtension,
  none as X509Certificate,
  none as X509ChainBuilder,
  none as X509Crl,
};
