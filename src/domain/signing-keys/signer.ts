import { createPrivateKey } from 'node:crypto';
import { fromBase64 } from '../../platform/crypto.ts';
import { hex } from '../../platform/ids.ts';
import { Lru } from '../../platform/lru.ts';
import { openPrivateKey } from '../certificates/private-keys.ts';
import type { AccountContext } from '../context.ts';
import { getSigningKey } from './find-signing-keys.ts';
import type { SigningKey } from './table.ts';

/** Signs texts of one account. */
export interface TextSigner {
  keyId: string;
  /**
   * Returns lower-case hexadecimal of the DER-encoded ECDSA signature (P-256, SHA-256) over the UTF-8 bytes of `text`,
   * as in webhooks. The nonce derives from key and text (RFC 6979), so that the same pass always shows the same bytes.
   */
  sign(text: string): string;
}

const SIGNERS_KEPT_MAX = 200;
const signers = new Lru<TextSigner>(SIGNERS_KEPT_MAX);

/** Cached characters of texts and signatures: signing costs about a millisecond, and passes are rendered repeatedly. */
const SIGNATURES_KEPT_CHARS_MAX = 2_000_000;
const signatures = new Lru<string>(SIGNATURES_KEPT_CHARS_MAX);

/** Returns the signer of the account's active key; see `getSigningKey`. */
export async function getTextSigner(ctx: AccountContext): Promise<TextSigner> {
  const key = await getSigningKey(ctx);
  const held = signers.get(key.id);
  if (held) return held;
  const signer = await textSigner(key.id, await openPrivateKey(ctx.env, key));
  signers.set(key.id, signer);
  return signer;
}

/** Creates a signer. The curve is loaded here, not with the module, because few requests sign. */
async function textSigner(keyId: SigningKey['id'], privateKeyPem: string): Promise<TextSigner> {
  const { p256 } = await import('../../platform/p256.ts');
  const { d } = createPrivateKey(privateKeyPem).export({ format: 'jwk' });
  const secret = fromBase64(d!);
  const encoder = new TextEncoder();
  return {
    keyId,
    sign(text) {
      const name = `${keyId}:${text}`;
      const known = signatures.get(name);
      if (known) return known;
      const signature = hex(p256.sign(encoder.encode(text), secret, { format: 'der', prehash: true, lowS: false }));
      signatures.set(name, signature, name.length + signature.length);
      return signature;
    },
  };
}

/** Start of a request for a signature in a text. */
const SIGN_CALL = '{sign(';

/** Stored definitions never change, so each is searched once. */
const searched = new WeakMap<object, boolean>();

/** A request reads the key once, however many passes and texts it signs. */
const loading = new WeakMap<AccountContext, Promise<TextSigner>>();

/** Returns the account's signer if a text, or a text of a stored definition, needs one; otherwise no round trip. */
export async function signerFor(ctx: AccountContext, source: string | object): Promise<TextSigner | undefined> {
  if (!hasSignCall(source)) return undefined;
  const signer = loading.get(ctx) ?? getTextSigner(ctx);
  loading.set(ctx, signer);
  return signer;
}

function hasSignCall(source: string | object): boolean {
  if (typeof source === 'string') return source.includes(SIGN_CALL);
  const known = searched.get(source);
  if (known !== undefined) return known;
  const found = JSON.stringify(source).includes(SIGN_CALL);
  searched.set(source, found);
  return found;
}
