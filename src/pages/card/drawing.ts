import type { ImageRole, StoredImage } from '../../domain/images/stored-image.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import type { AppleExtras } from '../../wallets/apple/layouts.ts';
import type { Reading } from './field-text.ts';

/** Validity of a pass in its picture. */
export type CardState = 'ok' | 'voided' | 'expired';

/** Returns the state of a card at `now` (UTC milliseconds). A voided pass stays voided when it expires. */
export function cardState(card: Pick<Card, 'voided' | 'expirationAt'>, now: number): CardState {
  if (card.voided) return 'voided';
  return card.expirationAt !== undefined && card.expirationAt <= now ? 'expired' : 'ok';
}

/** Wallet and layout of a picture: Apple's classic layout, one of Apple's newer layouts, or Google Wallet. */
export type WalletLook = 'apple' | 'posterEventTicket' | 'posterGeneric' | 'semanticBoardingPass' | 'google';

export interface DrawOptions {
  /** Default: Apple Wallet. */
  look?: WalletLook;
  /** The visitor's language. Texts without a translation stay in the card's language. */
  language: string;
  /** `both`: the front, with two buttons that turn the card. */
  face: 'front' | 'back' | 'both';
  imageUrl(image: StoredImage, role: ImageRole): string;
  /**
   * Picture of the barcode; undefined draws none. Null: the symbology can't encode the value, so it is shown as text.
   */
  barcodeUrl?: string | null;
  /** Semantic tags and more. Only the newer layouts, and flights in Google Wallet, show them. */
  extras?: Pick<AppleExtras, 'tags' | 'keys'>;
  /** UTC milliseconds, default: now. Decides whether the pass has expired and what relative dates say. */
  now?: number;
}

/** A card with everything that its parts need for drawing. */
export interface CardDrawing {
  card: Card;
  language: string;
  reading: Reading;
  state: CardState;
  imageUrl: DrawOptions['imageUrl'];
  barcodeUrl: DrawOptions['barcodeUrl'];
  extras: NonNullable<DrawOptions['extras']>;
}
