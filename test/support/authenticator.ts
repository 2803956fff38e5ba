import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Deviations by a person, a browser or an attacker. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  /** Whether the authenticator verified the user. */
  isVerified?: boolean;
  /** Value of its use counter. */
  counter?: number;
  userHandle?: string;
}

interface Options {
  challenge: string;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_KEY = 0x40;

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const encoded = (data: Buffer | string) => Buffer.from(data).toString('base64url');
/** Encode a text and a byte string in CBOR, up to 65,535 bytes. */
const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
const cborBytes = (bytes: Buffer) =>
  Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 0xff]), bytes]);

/** A software authenticator with one discoverable ES256 credential, for one host. */
export class Authenticator {
  readonly id = encoded(randomBytes(32));
  readonly rpId: string;
  readonly origin: string;
  #key: KeyObject;
  #publicKey: KeyObject;
  #userHandle = '';

  constructor(rpId: string, origin = `https://${rpId}`) {
    this.rpId = rpId;
    this.origin = origin;
    ({ privateKey: this.#key, publicKey: this.#publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  }

  /** Returns what the browser sends after `navigator.credentials.create`. */
  create(options: Options & { user: { id: string } }, deviation: Deviation = {}) {
    this.#userHandle = options.user.id;
    const { x, y } = this.#publicKey.export({ format: 'jwk' });
    const point = (value?: string) => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(value!, 'base64url')]);
    const key = [Buffer.from('a5010203262001', 'hex'), Buffer.from([0x21]), point(x), Buffer.from([0x22]), point(y)];
    const id = Buffer.from(this.id, 'base64url');
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, ...key]);
    const attestation = [cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])];
    const data = Buffer.concat([this.#data(deviation, WITH_KEY), credential]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: encoded(this.#client('webauthn.create', options, deviation)),
        attestationObject: encoded(
          Buffer.concat([Buffer.from([0xa3]), ...attestation, cborText('authData'), cborBytes(data)]),
        ),
        transports: ['internal'],
      },
    };
  }

  /** Returns what the browser sends after `navigator.credentials.get`. */
  get(options: Options, deviation: Deviation = {}) {
    const client = this.#client('webauthn.get', options, deviation);
    const data = this.#data(deviation, 0);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: encoded(client),
        authenticatorData: encoded(data),
        signature: encoded(sign('sha256', Buffer.concat([data, sha256(client)]), this.#key)),
        userHandle: deviation.userHandle ?? this.#userHandle,
      },
    };
  }

  #client(type: string, { challenge }: Options, { origin = this.origin }: Deviation): string {
    return JSON.stringify({ type, challenge, origin, crossOrigin: false });
  }

  #data({ rpId = this.rpId, isVerified = true, counter = 0 }: Deviation, more: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([PRESENT | (isVerified ? VERIFIED : 0) | more]), count]);
  }
}
