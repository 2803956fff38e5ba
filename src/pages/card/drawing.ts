import type { ImageRole, StoredImage } from '../../domain/images/stored-image.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import type { AppleExtras } from '../../wallets/apple/layouts.ts';
import type { Reading } from './field-text.ts';

/** Whether a pass is still good, as its picture shows it. */
export type CardState = 'ok' | 'voided' | 'expired';

/** The state of a card at `now` (UTC milliseconds); a voided pass stays voided when it expires. */
export function cardState(card: Pick<Card, 'voided' | 'expirationAt'>, now: number): CardState {
  if (card.voided) return 'voided';
  return card.expirationAt !== undefined && card.expirationAt <= now ? 'expired' : 'ok';
}

/** The wallet that a picture looks like, and which of its layouts: Apple's classic one, or a newer one. */
export type WalletLook = 'apple' | 'posterEventTicket' | 'posterGeneric' | 'semanticBoardingPass' | 'google';

export interface DrawOptions {
  /** Default: Apple Wallet. */
  look?: WalletLook;
  /** The visitor's language; texts without a translation stay in the card's own. */
  language: string;
  /** `both`: the front, and two buttons that turn it. */
  face: 'front' | 'back' | 'both';
  imageUrl(image: StoredImage, role: ImageRole): string;
  /** Picture of the barcode; without it none is drawn. Null: there can be none, and the value stands as text. */
  barcodeUrl?: string | null;
  /** What the pass says beyond its fields; only the newer layouts, and flights at Google, show it. */
  extras?: Pick<AppleExtras, 'tags' | 'keys'>;
  /** UTC milliseconds, default: now. Decides whether the pass has expired and what relative dates say. */
  now?: number;
}

/** A card with everything that its parts need to be drawn. */
export interface CardDrawing {
  card: Card;
  language: string;
  reading: Reading;
  state: CardState;
  imageUrl: DrawOptions['imageUrl'];
  barcodeUrl: DrawOptions['barcodeUrl'];
  extras: NonNullable<DrawOptions['extras']>;
}
