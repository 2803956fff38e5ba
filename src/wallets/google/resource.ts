import type { StoredImage } from '../../domain/images/stored-image.ts';
import type { Card } from '../../domain/passes/card.ts';

/** The kinds of pass that Google knows and we use; `${kind}Class` and `${kind}Object` are its resource types. */
export type WalletKind = 'flight' | 'transit' | 'offer' | 'eventTicket' | 'loyalty' | 'generic';

/** A class or object as the Wallet REST API takes it; members that are undefined do not reach the JSON. */
export type Resource = { id: string } & Record<string, unknown>;

export interface WalletResource {
  kind: WalletKind;
  resource: Resource;
}

export interface BuildOptions {
  /** Number that Google gave the issuer; every identifier starts with it. */
  issuerId: string;
  /** Public origin, without a trailing slash. */
  baseUrl: string;
}

/** Google's kind for a card (wallet.md §5.1). A boarding pass is a flight when it has flight fields, otherwise another transit. */
export function kindOf(card: Pick<Card, 'type' | 'flight'>): WalletKind {
  switch (card.type) {
    case 'boardingPass':
      return card.flight ? 'flight' : 'transit';
    case 'coupon':
      return 'offer';
    case 'eventTicket':
    case 'eventTicketBackground':
      return 'eventTicket';
    case 'storeCard':
      return 'loyalty';
    case 'generic':
      return 'generic';
  }
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
  return image && isPublic(baseUrl) ? { sourceUri: { uri: `${baseUrl}/images/${image.sha256}` } } : undefined;
}

/** The round image at the top left, which loyalty and transit classes require; a template's icon stands in for a missing logo. */
export function logoOf(card: Card, baseUrl: string) {
  return imageAt(card.images.logo ?? card.images.icon, baseUrl);
}
