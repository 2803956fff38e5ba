import { SignJWT } from 'jose';
import type { Card } from '../../domain/passes/card/card.ts';
import { machineTime } from '../../platform/clock.ts';
import { buildClass } from './pass-class.ts';
import { buildObject } from './pass-object.ts';
import type { WalletResource } from './resource.ts';
import type { GoogleSigner } from './signer.ts';

const SAVE_URL = 'https://pay.google.com/gp/v/save/';
/** The safe length of an encoded JWT according to Google. We limit the whole link to it (Google Wallet API). */
export const SAVE_LINK_CHARS_MAX = 1_800;

/** `full`: the link contains class and object. `skinny`: it only names what was inserted through the REST API. */
export interface SaveLink {
  url: string;
  form: 'full' | 'skinny';
}

export interface SaveLinkOptions {
  /** Public origin, without a trailing slash. */
  baseUrl: string;
  /** UTC milliseconds. */
  now?: number;
}

type Payload = Record<string, { id: string }[]>;

/**
 * Builds the link that saves a pass to Google Wallet. With `inserted`, Google has class and object, and the link only
 * names them. Otherwise it contains both within the safe length, and is skinny beyond it. It is never truncated.
 */
export async function buildSaveLink(
  card: Card,
  issuer: GoogleSigner,
  { baseUrl, now = Date.now(), inserted = false }: SaveLinkOptions & { inserted?: boolean },
): Promise<SaveLink> {
  const options = { issuerId: issuer.issuerId, baseUrl, now };
  const walletClass = buildClass(card, options);
  const object = buildObject(card, options, walletClass);
  if (!inserted) {
    const { kind, resource } = walletClass;
    const full = claims(issuer, { [`${kind}Classes`]: [resource], [`${kind}Objects`]: [object.resource] }, now);
    if (linkChars(full, issuer) <= SAVE_LINK_CHARS_MAX) return { url: await sign(full, issuer), form: 'full' };
  }
  return { url: await sign(claims(issuer, references([object]), now), issuer), form: 'skinny' };
}

/**
 * Builds one link that saves several inserted passes. Google's samples name the class with each object. Beyond the safe
 * length, only the objects are named, because Google knows their classes.
 */
export async function buildBundleSaveLink(
  cards: Card[],
  issuer: GoogleSigner,
  { baseUrl, now = Date.now() }: SaveLinkOptions,
): Promise<SaveLink> {
  const objects = cards.map((card) => buildObject(card, { issuerId: issuer.issuerId, baseUrl, now }));
  const withClasses = claims(issuer, references(objects), now);
  const fits = linkChars(withClasses, issuer) <= SAVE_LINK_CHARS_MAX;
  const chosen = fits ? withClasses : claims(issuer, references(objects, false), now);
  return { url: await sign(chosen, issuer), form: 'skinny' };
}

function references(objects: WalletResource[], withClass = true): Payload {
  const payload: Payload = {};
  for (const { kind, resource } of objects) {
    const { id, classId } = resource;
    payload[`${kind}Objects`] ??= [];
    payload[`${kind}Objects`]!.push(withClass ? ({ id, classId } as { id: string }) : { id });
  }
  return payload;
}

const HEADER = { alg: 'RS256', typ: 'JWT' };

function claims({ clientEmail }: GoogleSigner, payload: Payload, now: number) {
  const iat = Math.floor(machineTime(now) / 1_000);
  return { iss: clientEmail, aud: 'google', typ: 'savetowallet', iat, origins: [], payload };
}

async function sign(body: ReturnType<typeof claims>, { key }: GoogleSigner): Promise<string> {
  return SAVE_URL + (await new SignJWT(body).setProtectedHeader(HEADER).sign(key));
}

/** Returns the length of the signed link. A signature is as long as the key's modulus. */
function linkChars(body: ReturnType<typeof claims>, { key }: GoogleSigner): number {
  const { modulusLength } = key.algorithm as CryptoKeyRsaKeyAlgorithm;
  const parts = [bytesOf(HEADER), bytesOf(body), modulusLength / 8].map((bytes) => Math.ceil((bytes * 4) / 3));
  return SAVE_URL.length + parts.reduce((sum, chars) => sum + chars, 0) + 2;
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
