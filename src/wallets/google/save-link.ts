import { SignJWT } from 'jose';
import type { Card } from '../../domain/passes/card/card.ts';
import { machineTime } from '../../platform/clock.ts';
import { buildClass } from './pass-class.ts';
import { buildObject } from './pass-object.ts';
import type { WalletResource } from './resource.ts';
import type { GoogleSigner } from './signer.ts';

const SAVE_URL = 'https://pay.google.com/gp/v/save/';
/** The length that Google calls safe for an encoded JWT; we hold the whole link to it (Google Wallet API). */
export const SAVE_LINK_CHARS_MAX = 1_800;

/** `full`: class and object travel in the link. `skinny`: it only names what was inserted by the REST API. */
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
 * The link that saves a pass to Google Wallet. `inserted` says that class and object are at Google already: the link
 * then names them. Otherwise it carries both as long as it stays within the safe length, and is skinny beyond it; it is
 * never truncated.
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
 * One link that saves several passes, all of them inserted before. Google's samples name the class beside each object;
 * where that would exceed the safe length, the objects go alone, whose classes Google knows.
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

/** Length of the link before it is signed: a signature is as long as the key's modulus. */
function linkChars(body: ReturnType<typeof claims>, { key }: GoogleSigner): number {
  const { modulusLength } = key.algorithm as CryptoKeyRsaKeyAlgorithm;
  const parts = [bytesOf(HEADER), bytesOf(body), modulusLength / 8].map((bytes) => Math.ceil((bytes * 4) / 3));
  return SAVE_URL.length + parts.reduce((sum, chars) => sum + chars, 0) + 2;
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
