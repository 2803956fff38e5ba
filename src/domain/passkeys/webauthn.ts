import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { fromBase64 } from '../../platform/crypto.ts';
import { base64url } from '../../platform/ids.ts';

/** Values that a response must match. */
export interface Expected {
  /** In base64url. */
  challenge: string;
  origin: string;
  /** Host name of the relying party. */
  rpId: string;
}

/** A stored credential. */
export interface Credential {
  /** In base64url. */
  id: string;
  /** COSE key. */
  publicKey: Uint8Array<ArrayBuffer>;
  counter: number;
}

/** COSE algorithms: EdDSA, ES256 and RS256. Each authenticator supports one of them. */
export const ALGORITHMS = [-8, -7, -257];

/** Returns the credential that an authenticator created for `expected`. Throws an error that says what is wrong. */
export async function verifyCreation(response: RegistrationResponseJSON, expected: Expected): Promise<Credential> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const attestationObject = await withoutCertificates(response.response.attestationObject);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, response: { ...response.response, attestationObject } },
    expectedChallenge: expected.challenge,
    expectedOrigin: expected.origin,
    expectedRPID: expected.rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  });
  if (!verified) throw new Error('not verified');
  return registrationInfo.credential;
}

/** Returns the count of uses that the authenticator signed for `expected`. Throws an error that says what is wrong. */
export async function verifyRequest(
  response: AuthenticationResponseJSON,
  expected: Expected,
  credential: Credential,
): Promise<number> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: expected.challenge,
    expectedOrigin: expected.origin,
    expectedRPID: expected.rpId,
    requireUserVerification: true,
    credential,
  });
  if (!verified) throw new Error('not verified');
  return authenticationInfo.newCounter;
}

/**
 * Leaves out the attestation of the manufacturer, as browsers do if none is requested. It comes with certificates,
 * which are not read here.
 */
async function withoutCertificates(attestationObject: string): Promise<string> {
  const { isoCBOR } = await import('@simplewebauthn/server/helpers');
  const attestation = isoCBOR.decodeFirst<unknown>(fromBase64(attestationObject));
  if (!(attestation instanceof Map)) throw new Error('no attestation object');
  const [format, statement] = [attestation.get('fmt'), attestation.get('attStmt')];
  const isSelfAttestation = format === 'packed' && statement instanceof Map && !statement.has('x5c');
  if (format === 'none' || isSelfAttestation) return attestationObject;
  const without = new Map(attestation).set('fmt', 'none').set('attStmt', new Map());
  return base64url(isoCBOR.encode(without as Parameters<typeof isoCBOR.encode>[0]));
}
