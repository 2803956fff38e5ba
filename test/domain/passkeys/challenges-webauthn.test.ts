import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { describe, expect, test } from 'vitest';
import { type Credential, verifyCreation, verifyRequest } from '../../../src/domain/passkeys/challenges.ts';

const EXPECTED = { challenge: 'Y2hhbGxlbmdl', origin: 'https://passes.example', rpId: 'passes.example' };

const KEYS = {
  EdDSA: generateKeyPairSync('ed25519'),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
type Algorithm = keyof typeof KEYS;

const encodeCBOR = (value: unknown) => isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0]);
const encoded = (data: Uint8Array | string) => Buffer.from(data).toString('base64url');
const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest();

function coseKey(algorithm: Algorithm): Map<number, number | Uint8Array> {
  const jwk = KEYS[algorithm].publicKey.export({ format: 'jwk' });
  const bytes = (text?: string) => new Uint8Array(Buffer.from(text!, 'base64url'));
  if (algorithm === 'RS256')
    return new Map<number, number | Uint8Array>([
      [1, 3],
      [3, -257],
      [-1, bytes(jwk.n)],
      [-2, bytes(jwk.e)],
    ]);
  if (algorithm === 'EdDSA')
    return new Map<number, number | Uint8Array>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(jwk.x)],
    ]);
  return new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, bytes(jwk.x)],
    [-3, bytes(jwk.y)],
  ]);
}

/** Deviations from a valid response. */
interface Change {
  type?: string;
  challenge?: string;
  origin?: string;
  client?: object;
  rpId?: string;
  flags?: number;
  counter?: number;
  behind?: Uint8Array;
  rawId?: string;
  signer?: KeyObject;
  key?: Uint8Array;
  attestation?: Record<string, unknown>;
  selfSigned?: Algorithm;
  format?: string;
}

const ID = encoded('a credential');

function client(type: string, change: Change): string {
  const { challenge, origin } = EXPECTED;
  return JSON.stringify({ type, challenge, origin, ...pick(change), ...change.client });
}
const pick = ({ type, challenge, origin }: Change) => JSON.parse(JSON.stringify({ type, challenge, origin }));

function data(
  { rpId = EXPECTED.rpId, flags = 0x05, counter = 0, behind }: Change,
  more: number,
  credential?: Uint8Array,
) {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat(
    [sha256(rpId), Buffer.from([flags | more]), count, credential ?? [], behind ?? []].map((part) => Buffer.from(part)),
  );
}

function creation(algorithm: Algorithm, change: Change = {}): RegistrationResponseJSON {
  const id = Buffer.from(ID, 'base64url');
  const key = change.key ?? encodeCBOR(coseKey(algorithm));
  const authData = data(change, 0x40, Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]));
  const clientData = client('webauthn.create', change);
  const statement = new Map<string, unknown>(Object.entries(change.attestation ?? {}));
  if (change.selfSigned) {
    const digest = change.selfSigned === 'EdDSA' ? null : 'sha256';
    const signature = sign(digest, Buffer.concat([authData, sha256(clientData)]), KEYS[change.selfSigned].privateKey);
    statement.set('alg', coseKey(change.selfSigned).get(3)).set('sig', new Uint8Array(signature));
  }
  const attestation = new Map<string, unknown>([
    ['fmt', change.format ?? (change.selfSigned ? 'packed' : 'none')],
    ['attStmt', statement],
    ['authData', new Uint8Array(authData)],
  ]);
  const response = {
    clientDataJSON: encoded(clientData),
    attestationObject: encoded(encodeCBOR(attestation as never)),
  };
  return { id: ID, rawId: change.rawId ?? ID, type: 'public-key', clientExtensionResults: {}, response };
}

function request(algorithm: Algorithm, change: Change = {}): AuthenticationResponseJSON {
  const authenticatorData = data(change, 0);
  const clientData = client('webauthn.get', change);
  const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
  const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', signed, change.signer ?? KEYS[algorithm].privateKey);
  return {
    id: ID,
    rawId: change.rawId ?? ID,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: encoded(clientData),
      authenticatorData: encoded(authenticatorData),
      signature: encoded(signature),
    },
  };
}

/** Returns the passkey created from a response, or undefined if it was rejected. */
async function created(response: RegistrationResponseJSON) {
  return refusable(verifyCreation(response, EXPECTED));
}

async function used(response: AuthenticationResponseJSON, known: Credential) {
  return refusable(verifyRequest(response, EXPECTED, known));
}

async function refusable<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return undefined;
  }
}

const extensions = encodeCBOR(new Map([['credProtect', 2]]));
const WRONG: Record<string, Change> = {
  'another type': { type: 'payment.get' },
  'another challenge': { challenge: 'b3RoZXI' },
  'another origin': { origin: 'https://passes.example.evil.example' },
  'another host': { rpId: 'evil.example' },
  'an absent user': { flags: 0x04 },
  'an unverified user': { flags: 0x01 },
  'a backup of what has none': { flags: 0x15 },
  'bytes behind its data': { behind: Buffer.from('more') },
  'a flag of extensions without them': { flags: 0x85 },
  'two identifiers': { rawId: encoded('another') },
};
const RIGHT: Record<string, Change> = {
  'nothing else': {},
  'a backup': { flags: 0x1d },
  extensions: { flags: 0x85, behind: extensions },
  'a counter': { counter: 4_000_000_000 },
};

describe.each(Object.keys(KEYS) as Algorithm[])('%s', (algorithm) => {
  const publicKey = new Uint8Array(encodeCBOR(coseKey(algorithm)));
  const known = (counter = 0): Credential => ({ id: ID, publicKey, counter });

  test.each(Object.entries(RIGHT))('is accepted with %s', async (_, change) => {
    const counter = change.counter ?? 0;
    expect(await created(creation(algorithm, change))).toMatchObject({ id: ID, publicKey, counter });
    expect(await used(request(algorithm, change), known())).toBe(counter);
  });

  test.each(Object.entries(WRONG))('is rejected with %s', async (_, change) => {
    expect(await created(creation(algorithm, change))).toBeUndefined();
    expect(await used(request(algorithm, change), known())).toBeUndefined();
  });

  test('is rejected with the signature of another key', async () => {
    const others = { EdDSA: generateKeyPairSync('ed25519'), ES256: KEYS.RS256, RS256: KEYS.ES256 };
    const { privateKey: signer } = others[algorithm];
    expect(await used(request(algorithm, { signer }), known())).toBeUndefined();
    const response = request(algorithm);
    response.response.signature = encoded(Buffer.from(response.response.signature, 'base64url').fill(1, 8));
    expect(await used(response, known())).toBeUndefined();
  });

  test.each([
    [5, 6, 6],
    [5, 5, undefined],
    [5, 4, undefined],
    [5, 0, undefined],
    [0, 1, 1],
  ])('that was used %i times and reports %i', async (before, counter, outcome) => {
    expect(await used(request(algorithm, { counter }), known(before))).toBe(outcome);
  });

  test('attests to itself, or is rejected', async () => {
    expect(await created(creation(algorithm, { selfSigned: algorithm }))).toMatchObject({ id: ID, publicKey });
    const other = algorithm === 'ES256' ? 'EdDSA' : 'ES256';
    expect(await created(creation(algorithm, { selfSigned: other }))).toBeUndefined();
    expect(await created(creation(algorithm, { attestation: { more: 1 } }))).toBeUndefined();
  });

  test.each(['packed', 'tpm', 'apple', 'a later one'])(
    'is accepted whatever a manufacturer attests: %s',
    async (format) => {
      const attestation = { x5c: [new Uint8Array(3)], sig: new Uint8Array(3), alg: -7 };
      expect(await created(creation(algorithm, { attestation, format }))).toMatchObject({ id: ID, publicKey });
      expect(await created(creation(algorithm, { attestation, format, flags: 0x01 }))).toBeUndefined();
    },
  );
});

test('signatures of ES256 are read whatever the length of their numbers', async () => {
  const known = { id: ID, publicKey: new Uint8Array(encodeCBOR(coseKey('ES256'))), counter: 0 };
  const lengths = new Set<number>();
  // Half of all numbers have 33 octets, and one in 512 has 31 or less.
  while (!lengths.has(72) || Math.min(...lengths) >= 70) {
    const response = request('ES256');
    const { length } = Buffer.from(response.response.signature, 'base64url');
    if (lengths.has(length)) continue;
    lengths.add(length);
    expect(await used(response, known)).toBe(0);
  }
});

test('an invalid ES256 signature is rejected', async () => {
  const known = { id: ID, publicKey: new Uint8Array(encodeCBOR(coseKey('ES256'))), counter: 0 };
  const response = request('ES256');
  const signature = Buffer.from(response.response.signature, 'base64url');
  const wrong = [
    '',
    '00',
    '3000',
    '0201',
    signature.toString('hex').replace(/^30/, '31'),
    `${signature.toString('hex')}00`,
  ];
  for (const hex of wrong) {
    response.response.signature = Buffer.from(hex, 'hex').toString('base64url');
    expect(await used(response, known), hex).toBeUndefined();
  }
});

test('an unknown algorithm and a broken key are rejected', async () => {
  const key = coseKey('ES256');
  const broken = [new Map([...key, [3, -35]]), new Map([...key].filter(([label]) => label !== 3)), new Map()];
  for (const one of broken)
    expect(await created(creation('ES256', { key: encodeCBOR(one) })), JSON.stringify([...one])).toBeUndefined();
  expect(await created(creation('ES256', { key: Buffer.from('ff') }))).toBeUndefined();
});

test('a sign-in within another site’s frame is rejected', async () => {
  const change = { client: { crossOrigin: true, topOrigin: 'https://evil.example' } };
  const known = { id: ID, publicKey: new Uint8Array(encodeCBOR(coseKey('ES256'))), counter: 0 };
  expect(await used(request('ES256', change), known)).toBeUndefined();
});
