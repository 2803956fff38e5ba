import type { StoredImage } from '../../domain/images/stored-image.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import type { GoogleKind } from '../../domain/templates/google/kind.ts';
import type { GoogleImage } from '../../domain/templates/google/members.ts';

/** A class or object for the Wallet REST API. Undefined members aren't in the JSON. */
export type Resource = { id: string } & Record<string, unknown>;

export interface WalletResource {
  kind: GoogleKind;
  resource: Resource;
}

/** Asks Google to notify holders of an update's changes; "needs to be set with each PATCH or UPDATE". */
export const NOTIFY_ON_UPDATE = { notifyPreference: 'NOTIFY_ON_UPDATE' } as const;

export interface BuildOptions {
  /** Google's ID of the issuer, with which all identifiers start. */
  issuerId: string;
  /** Public origin, without a trailing slash. */
  baseUrl: string;
}

/** Returns the ID of a pass's object at Google. */
export function objectIdOf(issuerId: string, passId: string): string {
  return `${issuerId}.${passId}`;
}

/** Returns whether Google can reach this origin. It fetches images and sends callbacks only over https. */
export function isPublic(baseUrl: string): boolean {
  return baseUrl.startsWith('https://');
}

/** Returns Google's `Image` with our public, content-addressed URL; undefined without an image or a public origin. */
export function imageAt(image: StoredImage | undefined, baseUrl: string): { sourceUri: { uri: string } } | undefined {
  return image && googleImageAt(image, baseUrl);
}

/** Like `imageAt`, for an image that only Google shows. */
export function googleImageAt({ sha256 }: GoogleImage, baseUrl: string): { sourceUri: { uri: string } } | undefined {
  return isPublic(baseUrl) ? { sourceUri: { uri: `${baseUrl}/images/${sha256}` } } : undefined;
}

/** Returns a list, or undefined if it is empty, so that the member is left out. */
export function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/**
 * Returns the logo, which Google shows round at the top left and requires in loyalty and transit classes. An icon
 * replaces a missing logo.
 */
export function logoOf(card: Card, baseUrl: string) {
  return imageAt(card.images.logo ?? card.images.icon, baseUrl);
}
