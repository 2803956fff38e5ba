import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { encodeCBOR } from '@levischuck/tiny-cbor';
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { describe, expect, test } from 'vitest';
import { ALGORITHMS, type Credential, verifyCreation, verifyRequest } from '../../../src/domain/passkeys/webauthn.ts';

const EXPECTED = { challenge: 'Y2hhbGxlbmdl', origin: 'https://passes.example', rpId: 'passes.example' };

const KEYS = {
  EdDSA: generateKeyPairSync('ed25519'),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
type Algorithm = keyof typeof KEYS;

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

/** What deviates from a response that is as it must be. */
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
    ['fmt', change.selfSigned ? 'packed' : 'none'],
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

const common = {
  expectedChallenge: EXPECTED.challenge,
  expectedOrigin: EXPECTED.origin,
  expectedRPID: EXPECTED.rpId,
  requireUserVerification: true,
};

/** What ours and the library make of a response: the result, or undefined for a refusal. */
async function creations(response: RegistrationResponseJSON) {
  const theirs = verifyRegistrationResponse({ response, ...common, supportedAlgorithmIDs: [...ALGORITHMS] });
  return [attempt(() => verifyCreation(response, EXPECTED)), await theirs.then(credentialOf, () => undefined)];
}

const credentialOf = ({ registrationInfo }: Awaited<ReturnType<typeof verifyRegistrationResponse>>) => {
  if (!registrationInfo) return undefined;
  const { id, publicKey, counter } = registrationInfo.credential;
  return { id, publicKey: Buffer.from(publicKey).toString('hex'), counter };
};

async function requests(response: AuthenticationResponseJSON, known: Credential) {
  const credential = { ...known, publicKey: new Uint8Array(known.publicKey) };
  const theirs = verifyAuthenticationResponse({ response, ...common, credential });
  const counter = await theirs.then(
    ({ verified, authenticationInfo }) => (verified ? authenticationInfo.newCounter : undefined),
    () => undefined,
  );
  return [attempt(() => verifyRequest(response, EXPECTED, known)), counter];
}

function attempt<T>(work: () => T) {
  try {
    const made = work();
    if (typeof made !== 'object') return made;
    const { publicKey, ...others } = made as unknown as Credential;
    return { ...others, publicKey: Buffer.from(publicKey).toString('hex') };
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
  const known = (counter = 0): Credential => ({ id: ID, publicKey: encodeCBOR(coseKey(algorithm)), counter });

  test.each(Object.entries(RIGHT))('is accepted with %s, as by a library', async (_, change) => {
    const [ours, theirs] = await creations(creation(algorithm, change));
    expect(ours).toEqual({ id: ID, publicKey: expect.any(String), counter: change.counter ?? 0 });
    expect(ours).toEqual(theirs);
    expect(await requests(request(algorithm, change), known())).toEqual([change.counter ?? 0, change.counter ?? 0]);
  });

  test.each(Object.entries(WRONG))('is refused with %s, as by a library', async (_, change) => {
    expect(await creations(creation(algorithm, change))).toEqual([undefined, undefined]);
    expect(await requests(request(algorithm, change), known())).toEqual([undefined, undefined]);
  });

  test('is refused with the signature of another key', async () => {
    const others = { EdDSA: generateKeyPairSync('ed25519'), ES256: KEYS.RS256, RS256: KEYS.ES256 };
    const { privateKey: signer } = others[algorithm];
    expect(await requests(request(algorithm, { signer }), known())).toEqual([undefined, undefined]);
    const response = request(algorithm);
    response.response.signature = encoded(Buffer.from(response.response.signature, 'base64url').fill(1, 8));
    expect(await requests(response, known())).toEqual([undefined, undefined]);
  });

  test.each([
    [5, 6, 6],
    [5, 5, undefined],
    [5, 4, undefined],
    [5, 0, undefined],
    [0, 1, 1],
  ])('that was used %i times is given %i', async (before, counter, outcome) => {
    expect(await requests(request(algorithm, { counter }), known(before))).toEqual([outcome, outcome]);
  });

  test('attests to itself, or is refused', async () => {
    const [ours, theirs] = await creations(creation(algorithm, { selfSigned: algorithm }));
    expect(ours).toEqual(theirs);
    expect(ours).toBeDefined();
    const other = algorithm === 'ES256' ? 'EdDSA' : 'ES256';
    expect(await creations(creation(algorithm, { selfSigned: other }))).toEqual([undefined, undefined]);
    expect(await creations(creation(algorithm, { attestation: { more: 1 } }))).toEqual([undefined, undefined]);
  });
});

test('an unknown algorithm and a broken key are refused', async () => {
  const key = coseKey('ES256');
  const broken = [
    new Map([...key, [3, -35]]),
    new Map([...key, [1, 4]]),
    new Map([...key].filter(([label]) => label !== -2)),
    new Map([...key, [-2, new Uint8Array(32).fill(255)]]),
  ];
  for (const one of broken)
    expect((await creations(creation('ES256', { key: encodeCBOR(one) })))[0], JSON.stringify([...one])).toBeUndefined();
  expect(await creations(creation('ES256', { key: Buffer.from('ff') }))).toEqual([undefined, undefined]);
});

test('a frame of another site is refused', async () => {
  const change = { client: { crossOrigin: true, topOrigin: 'https://evil.example' } };
  const known = { id: ID, publicKey: encodeCBOR(coseKey('ES256')), counter: 0 };
  expect(await requests(request('ES256', change), known)).toEqual([undefined, undefined]);
  expect(attempt(() => verifyCreation(creation('ES256', change), EXPECTED))).toBeUndefined();
});
