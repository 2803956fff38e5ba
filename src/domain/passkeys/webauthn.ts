import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type CBORType, decodePartialCBOR } from '@levischuck/tiny-cbor';
import { fromBase64 } from '../../platform/crypto.ts';
import { base64url } from '../../platform/ids.ts';

/*
 * Verifies what authenticators have signed (W3C Web Authentication, level 3). Attestation by an authority is neither
 * asked for nor looked at: no maker of authenticators is trusted more than another. All texts are base64url.
 */

/** What a response must be about. */
export interface Expected {
  challenge: string;
  origin: string;
  /** Host name of the relying party. */
  rpId: string;
}

interface Response {
  id: string;
  rawId: string;
  response: { clientDataJSON: string };
}
export interface CreationResponse extends Response {
  response: { clientDataJSON: string; attestationObject: string };
}
export interface RequestResponse extends Response {
  response: { clientDataJSON: string; authenticatorData: string; signature: string };
}

/** A credential as it is stored. */
export interface Credential {
  id: string;
  /** COSE key. */
  publicKey: Uint8Array;
  counter: number;
}

/** COSE algorithms: EdDSA, ES256 and RS256. Each authenticator has one of them. */
export const ALGORITHMS = [-8, -7, -257] as const;
type Algorithm = (typeof ALGORITHMS)[number];

/** The credential that an authenticator has created for `expected`. Throws an error that says what is wrong. */
export function verifyCreation(response: CreationResponse, expected: Expected): Credential {
  const clientData = verifyClientData(response, 'webauthn.create', expected);
  const attestation = asMap(decodeWhole(fromBase64(response.response.attestationObject)));
  const bytes = asBytes(attestation.get('authData'));
  const { counter, credential } = readAuthenticatorData(bytes, expected);
  if (!credential) throw new Error('no credential in the authenticator data');
  const key = readCoseKey(credential.publicKey);
  const statement = asMap(attestation.get('attStmt'));
  const format = attestation.get('fmt');
  if (format === 'none' && statement.size > 0) throw new Error('attestation without a format');
  if (format === 'packed' && !statement.has('x5c')) {
    // Self attestation, which browsers pass on although none was asked for.
    if (statement.get('alg') !== key.algorithm) throw new Error('self attestation with another algorithm');
    requireSignature(key, signedBy(bytes, clientData), asBytes(statement.get('sig')));
  }
  return { ...credential, counter };
}

/** The count of uses that the authenticator has signed for `expected`. Throws an error that says what is wrong. */
export function verifyRequest(response: RequestResponse, expected: Expected, known: Credential): number {
  const clientData = verifyClientData(response, 'webauthn.get', expected);
  const bytes = fromBase64(response.response.authenticatorData);
  const { counter } = readAuthenticatorData(bytes, expected);
  if ((counter > 0 || known.counter > 0) && counter <= known.counter)
    throw new Error(`counter ${counter} behind ${known.counter}: a copy`);
  const signature = fromBase64(response.response.signature);
  requireSignature(readCoseKey(known.publicKey), signedBy(bytes, clientData), signature);
  return counter;
}

/** The bytes of the client data, once they say what is expected. */
function verifyClientData({ id, rawId, response }: Response, type: string, expected: Expected): Uint8Array {
  if (id !== rawId) throw new Error('two identifiers');
  const bytes = fromBase64(response.clientDataJSON);
  const said = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  if (said.type !== type) throw new Error(`type ${said.type} in place of ${type}`);
  if (said.challenge !== expected.challenge) throw new Error('another challenge');
  if (said.origin !== expected.origin) throw new Error(`origin ${said.origin}`);
  // A page of another site that holds ours in a frame.
  if (said.topOrigin !== undefined) throw new Error(`top origin ${said.topOrigin}`);
  return bytes;
}

const FLAG = { present: 0x01, verified: 0x04, canBackUp: 0x08, backedUp: 0x10, credential: 0x40, extensions: 0x80 };
const HASH_BYTES = 32;
const AAGUID_BYTES = 16;

interface AuthenticatorData {
  counter: number;
  credential?: Pick<Credential, 'id' | 'publicKey'>;
}

/** Throws when it isn't for `rpId`, or without the user's presence and verification. */
function readAuthenticatorData(bytes: Uint8Array, { rpId }: Expected): AuthenticatorData {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!createHash('sha256').update(rpId).digest().equals(bytes.subarray(0, HASH_BYTES)))
    throw new Error('another host');
  const flags = view.getUint8(HASH_BYTES);
  const has = (flag: number) => (flags & flag) !== 0;
  if (!has(FLAG.present) || !has(FLAG.verified)) throw new Error('the user was not verified');
  if (has(FLAG.backedUp) && !has(FLAG.canBackUp)) throw new Error('a backup of what has none');
  const counter = view.getUint32(HASH_BYTES + 1);
  let at = HASH_BYTES + 5;
  let credential: AuthenticatorData['credential'];
  if (has(FLAG.credential)) {
    const start = at + AAGUID_BYTES + 2;
    const key = start + view.getUint16(start - 2);
    at = key + decodePartialCBOR(bytes, key)[1];
    credential = { id: base64url(bytes.subarray(start, key)), publicKey: bytes.slice(key, at) };
  }
  if (has(FLAG.extensions)) at += decodePartialCBOR(bytes, at)[1];
  if (at !== bytes.length) throw new Error('authenticator data of another length');
  return { counter, credential };
}

interface CoseKey {
  algorithm: Algorithm;
  key: KeyObject;
}

/** Labels of RFC 9052 §7 and RFC 9053 §7; those of RSA (RFC 8230 §4) mean something else under the same numbers. */
const LABEL = { type: 1, algorithm: 3, curve: -1, x: -2, y: -3, n: -1, e: -2 };
const EC2 = 2;
const P256 = 1;
const OKP = 1;
const ED25519 = 6;
const RSA = 3;

function readCoseKey(bytes: Uint8Array): CoseKey {
  const members = asMap(decodeWhole(bytes));
  const text = (label: number) => base64url(asBytes(members.get(label)));
  const is = (type: number, algorithm: Algorithm, curve?: number) =>
    members.get(LABEL.type) === type &&
    members.get(LABEL.algorithm) === algorithm &&
    (curve === undefined || members.get(LABEL.curve) === curve);
  const open = (jwk: Record<string, string>) => createPublicKey({ key: jwk, format: 'jwk' });
  if (is(EC2, -7, P256))
    return { algorithm: -7, key: open({ kty: 'EC', crv: 'P-256', x: text(LABEL.x), y: text(LABEL.y) }) };
  if (is(OKP, -8, ED25519)) return { algorithm: -8, key: open({ kty: 'OKP', crv: 'Ed25519', x: text(LABEL.x) }) };
  if (is(RSA, -257)) return { algorithm: -257, key: open({ kty: 'RSA', n: text(LABEL.n), e: text(LABEL.e) }) };
  throw new Error('a key of another algorithm');
}

/** What authenticators sign: their data, then the hash of the client's. */
function signedBy(authenticatorData: Uint8Array, clientData: Uint8Array): Uint8Array {
  return Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
}

function requireSignature({ algorithm, key }: CoseKey, data: Uint8Array, signature: Uint8Array): void {
  // EdDSA brings its own digest.
  if (!verify(algorithm === -8 ? null : 'sha256', data, key, signature)) throw new Error('another signature');
}

function decodeWhole(bytes: Uint8Array): CBORType {
  const [value, length] = decodePartialCBOR(bytes, 0);
  if (length !== bytes.length) throw new Error('bytes behind CBOR');
  return value;
}

function asMap(value: CBORType | undefined): Map<string | number, CBORType> {
  if (!(value instanceof Map)) throw new Error('no map in CBOR');
  return value;
}

function asBytes(value: CBORType | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new Error('no bytes in CBOR');
  return value;
}
