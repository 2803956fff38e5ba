import { hash } from 'node:crypto';
import {
  concat,
  type DerValue,
  der,
  derParts,
  derValues,
  objectIdentifier,
  TAG,
  unsignedInteger,
} from '../../platform/asn1.ts';
import { fromBase64 } from '../../platform/crypto.ts';
import { hex } from '../../platform/ids.ts';

/*
 * The `signature` of a pass file: detached CMS SignedData (RFC 5652) over the bytes of manifest.json. Apple requires
 * the signed attribute signingTime and both certificates; the digest is SHA-256 (Apple, Wallet Passes).
 */

const OID_SIGNED_DATA = objectIdentifier('1.2.840.113549.1.7.2');
const OID_DATA = objectIdentifier('1.2.840.113549.1.7.1');
const OID_CONTENT_TYPE = objectIdentifier('1.2.840.113549.1.9.3');
const OID_MESSAGE_DIGEST = objectIdentifier('1.2.840.113549.1.9.4');
const OID_SIGNING_TIME = objectIdentifier('1.2.840.113549.1.9.5');
const OID_SHA256 = objectIdentifier('2.16.840.1.101.3.4.2.1');
const OID_RSA = objectIdentifier('1.2.840.113549.1.1.1');
const OID_EC = objectIdentifier('1.2.840.10045.2.1');
const OID_P256 = objectIdentifier('1.2.840.10045.3.1.7');
const OID_ECDSA_SHA256 = objectIdentifier('1.2.840.10045.4.3.2');

const VERSION_1 = unsignedInteger(Uint8Array.of(1));
const SHA256 = der(TAG.sequence, OID_SHA256);
const CONTENT_TYPE = der(TAG.sequence, OID_CONTENT_TYPE, der(TAG.set, OID_DATA));

interface Algorithm {
  /** AlgorithmIdentifier in SignerInfo. */
  identifier: Uint8Array;
  importParams: { name: string; hash?: string; namedCurve?: string };
  signParams: { name: string; hash?: string };
  /** Converts a signature from WebCrypto's format to that of X.509. */
  encode: (signature: Uint8Array) => Uint8Array;
}

const RSA: Algorithm = {
  identifier: der(TAG.sequence, OID_RSA, der(TAG.null)),
  importParams: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  signParams: { name: 'RSASSA-PKCS1-v1_5' },
  encode: (signature) => signature,
};

const ECDSA: Algorithm = {
  identifier: der(TAG.sequence, OID_ECDSA_SHA256),
  importParams: { name: 'ECDSA', namedCurve: 'P-256' },
  signParams: { name: 'ECDSA', hash: 'SHA-256' },
  // r and s, 32 bytes each, become a SEQUENCE of two INTEGERs (RFC 3279 §2.2.3).
  encode: (signature) =>
    der(TAG.sequence, unsignedInteger(signature.subarray(0, 32)), unsignedInteger(signature.subarray(32))),
};

/** A certificate with its key, and all parts of a signature that are the same for all passes. */
export interface Signer {
  key: CryptoKey;
  algorithm: Algorithm;
  /** SignedData before SignerInfo: version, digest algorithm, content type, both certificates. */
  signedDataHead: Uint8Array;
  /** SignerInfo before its attributes: version, issuer and serial number, digest algorithm. */
  signerInfoHead: Uint8Array;
  /** Assembled frames by the lengths of attributes and signature. */
  frames: Map<number, Frame>;
}

/**
 * Prepares a pass type certificate for signing, with its issuer's certificate and its private key as PKCS#8 PEM (RSA,
 * or EC on P-256). The import of certificates already checked that they belong together. Throws an `Error` for other
 * keys and for texts that aren't PEM.
 */
export async function loadSigner(pems: {
  certificatePem: string;
  intermediatePem: string;
  privateKeyPem: string;
}): Promise<Signer> {
  const certificate = pemBytes(pems.certificatePem, 'CERTIFICATE');
  const intermediate = pemBytes(pems.intermediatePem, 'CERTIFICATE');
  const pkcs8 = pemBytes(pems.privateKeyPem, 'PRIVATE KEY');
  const algorithm = algorithmOf(pkcs8);
  return {
    key: await crypto.subtle.importKey('pkcs8', pkcs8, algorithm.importParams, false, ['sign']),
    algorithm,
    signedDataHead: concat(
      VERSION_1,
      der(TAG.set, SHA256),
      der(TAG.sequence, OID_DATA),
      der(TAG.context0, certificate, intermediate),
    ),
    signerInfoHead: concat(VERSION_1, issuerAndSerialNumber(certificate), SHA256),
    frames: new Map(),
  };
}

/** Returns the DER bytes of the file `signature` for the exact bytes of manifest.json; `at` is the signing time. */
export async function signManifest(manifest: Uint8Array, signer: Signer, at: Date): Promise<Uint8Array> {
  const { key, algorithm } = signer;
  const attributes = attributesOf(hash('sha256', manifest, 'buffer'), at);
  // Signed as a SET, transmitted under the tag [0] (RFC 5652 §5.4).
  const signed = await crypto.subtle.sign(algorithm.signParams, key, attributes);
  attributes[0] = TAG.context0;
  const signature = algorithm.encode(new Uint8Array(signed));
  const { before, between } = frameOf(signer, attributes.length, signature.length);
  return concat(before, attributes, between, signature);
}

/** The bytes of a signature file before its attributes, and between its attributes and the signature value. */
interface Frame {
  before: Uint8Array;
  between: Uint8Array;
}

/** Returns the frame for these lengths. There are few: times have two forms, and P-256 signatures a few lengths. */
function frameOf(signer: Signer, attributesLength: number, signatureLength: number): Frame {
  const lengths = attributesLength * 1_000 + signatureLength;
  const known = signer.frames.get(lengths);
  if (known) return known;
  const { signedDataHead, signerInfoHead, algorithm } = signer;
  const attributes = new Uint8Array(attributesLength);
  const signature = new Uint8Array(signatureLength);
  const signerInfo = derParts(TAG.sequence, [
    signerInfoHead,
    attributes,
    algorithm.identifier,
    ...derParts(TAG.octetString, [signature]),
  ]);
  const signedData = derParts(TAG.sequence, [signedDataHead, ...derParts(TAG.set, signerInfo)]);
  const parts = derParts(TAG.sequence, [OID_SIGNED_DATA, ...derParts(TAG.context0, signedData)]);
  const place = parts.indexOf(attributes);
  const frame = { before: concat(...parts.slice(0, place)), between: concat(...parts.slice(place + 1, -1)) };
  signer.frames.set(lengths, frame);
  return frame;
}

const SHA256_BYTES = 32;
/** The last attributes, which passes signed in the same second share. Their digest is at the end. */
let attributesAt: { second: number; bytes: Uint8Array<ArrayBuffer> } | undefined;

/** Returns the attributes in DER SET order, sorted by encoding: strict readers sort before they verify. */
function attributesOf(digest: Uint8Array, at: Date): Uint8Array<ArrayBuffer> {
  const second = Math.floor(at.getTime() / 1_000);
  if (attributesAt?.second !== second) {
    const bytes = der(
      TAG.set,
      CONTENT_TYPE,
      der(TAG.sequence, OID_SIGNING_TIME, der(TAG.set, time(at))),
      der(TAG.sequence, OID_MESSAGE_DIGEST, der(TAG.set, der(TAG.octetString, new Uint8Array(SHA256_BYTES)))),
    );
    attributesAt = { second, bytes };
  }
  const bytes = attributesAt.bytes.slice();
  bytes.set(digest, bytes.length - SHA256_BYTES);
  return bytes;
}

/** Encodes a time: UTCTime until 2049, GeneralizedTime from 2050 (RFC 5652 §11.3). */
function time(at: Date): Uint8Array {
  const digits = `${at.toISOString().slice(0, 19).replace(/\D/g, '')}Z`;
  const encode = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
  return at.getUTCFullYear() < 2050
    ? der(TAG.utcTime, encode(digits.slice(2)))
    : der(TAG.generalizedTime, encode(digits));
}

/** Identifies a certificate in the signature by its encoded issuer and serial number (RFC 5280 §4.1). */
function issuerAndSerialNumber(certificate: Uint8Array): Uint8Array {
  const [outer] = derValues(certificate);
  const [body] = outer ? derValues(outer.content) : [];
  const fields = body ? derValues(body.content) : [];
  // Certificates of version 1 have no version field.
  if (fields[0]?.tag === TAG.context0) fields.shift();
  const [serialNumber, , issuer] = fields;
  if (!serialNumber || !issuer) throw new Error('the certificate is not an X.509 certificate');
  return der(TAG.sequence, issuer.whole, serialNumber.whole);
}

/** Determines the algorithm from PrivateKeyInfo (RFC 5958): version, then AlgorithmIdentifier. */
function algorithmOf(pkcs8: Uint8Array): Algorithm {
  const [info] = derValues(pkcs8);
  const [, identifier] = info ? derValues(info.content) : [];
  const [oid, parameters] = identifier ? derValues(identifier.content) : [];
  const is = (value: DerValue | undefined, known: Uint8Array) => value !== undefined && hex(value.whole) === hex(known);
  if (is(oid, OID_RSA)) return RSA;
  if (is(oid, OID_EC) && is(parameters, OID_P256)) return ECDSA;
  throw new Error('a pass is signed with an RSA or a P-256 key');
}

function pemBytes(pem: string, label: string): Uint8Array<ArrayBuffer> {
  const block = new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`).exec(pem);
  if (!block?.[1]) throw new Error(`no ${label} in the PEM text`);
  return fromBase64(block[1].replace(/\s/g, ''));
}
