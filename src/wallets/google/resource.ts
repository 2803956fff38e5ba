import type { StoredImage } from '../../domain/images/stored-image.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import type { GoogleKind } from '../../domain/templates/google/kind.ts';
import type { GoogleImage } from '../../domain/templates/google/members.ts';

/** A class or object as the Wallet REST API takes it; members that are undefined do not reach the JSON. */
export type Resource = { id: string } & Record<string, unknown>;

export interface WalletResource {
  kind: GoogleKind;
  resource: Resource;
}

/** Asks Google to tell the holders of a pass what an update changes; "needs to be set with each PATCH or UPDATE". */
export const NOTIFY_ON_UPDATE = { notifyPreference: 'NOTIFY_ON_UPDATE' } as const;

export interface BuildOptions {
  /** Number that Google gave the issuer; every identifier starts with it. */
  issuerId: string;
  /** Public origin, without a trailing slash. */
  baseUrl: string;
}

/** Identifier of a pass's object at Google. */
export function objectIdOf(issuerId: string, passId: string): string {
  return `${issuerId}.${passId}`;
}

/** Whether Google can reach this origin: it fetches images and calls back by https only. */
export function isPublic(baseUrl: string): boolean {
  return baseUrl.startsWith('https://');
}

/** Google's `Image` at our public, content-addressed address; undefined without an image or a public origin. */
export function imageAt(image: StoredImage | undefined, baseUrl: string): { sourceUri: { uri: string } } | undefined {
  return image && googleImageAt(image, baseUrl);
}

/** The same for an image that only Google shows. */
export function googleImageAt({ sha256 }: GoogleImage, baseUrl: string): { sourceUri: { uri: string } } | undefined {
  return isPublic(baseUrl) ? { sourceUri: { uri: `${baseUrl}/images/${sha256}` } } : undefined;
}

/** A list for a member that is left out when there is nothing in it. */
export function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** Round, at the top left; loyalty and transit classes require it. An icon stands in for a missing logo. */
export function logoOf(card: Card, baseUrl: string) {
  return imageAt(card.images.logo ?? card.images.icon, baseUrl);
}
