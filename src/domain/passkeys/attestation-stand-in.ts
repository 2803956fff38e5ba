import { isInteger, memberOf, readAsn1 } from '../../platform/asn1.ts';

/*
 * Replaces the modules of @simplewebauthn/server that read attestation by manufacturers (scripts/left-out.ts). The
 * service reads none, but ES256 signatures are parsed with the same package.
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
  /** Parses a signature. Throws for any other schema or content. */
  parse(bytes: Uint8Array, schema: unknown): ECDSASigValue {
    const value = readAsn1(bytes);
    const [r, s] = [memberOf(value, 0), memberOf(value, 1)];
    const isSignature = value.tag === SEQUENCE && value.members.length === 2 && isInteger(r) && isInteger(s);
    if (schema !== ECDSASigValue || !isSignature) throw new Error('no signature of ES256');
    return new ECDSASigValue(r.content, s.content);
  },
};
