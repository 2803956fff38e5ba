import type { ImageRole } from '../../images/stored-image.ts';
import type { PassType } from '../definition.ts';
import type { FieldList } from '../list-names.ts';
import type { PosterList } from './schemes.ts';

/* Contents of each pass style (Apple, Wallet Passes and Human Interface Guidelines, Wallet). */

/** Images of each style. Wallet ignores others. */
export const STYLE_IMAGES: Record<PassType, readonly ImageRole[]> = {
  boardingPass: ['icon', 'logo', 'footer'],
  coupon: ['icon', 'logo', 'strip'],
  eventTicket: ['icon', 'logo', 'strip'],
  eventTicketBackground: ['icon', 'logo', 'background', 'thumbnail'],
  generic: ['icon', 'logo', 'thumbnail'],
  storeCard: ['icon', 'logo', 'strip'],
};

interface FieldLimits extends Partial<Record<FieldList, number>> {
  /** Size of the line that secondary and auxiliary fields share. */
  shared?: number;
}

const EVENT: FieldLimits = { headerFields: 3, primaryFields: 1, secondaryFields: 4, auxiliaryFields: 4 };
const ON_STRIP: FieldLimits = { headerFields: 3, primaryFields: 1, shared: 4 };

/** Maximum number of fields that each style shows. More are valid but cut off. */
export const FIELD_LIMITS: Record<PassType, FieldLimits> = {
  boardingPass: { headerFields: 3, primaryFields: 2, secondaryFields: 4, auxiliaryFields: 5 },
  coupon: ON_STRIP,
  storeCard: ON_STRIP,
  eventTicket: EVENT,
  eventTicketBackground: EVENT,
  generic: EVENT,
};

/** Maximum number of secondary and auxiliary fields of a generic pass with a square code. */
export const GENERIC_BESIDE_SQUARE_CODE = 4;
/** Size of the second row of auxiliary fields on event tickets (`row: 1`). */
export const SECOND_ROW_MAX = 4;

/** Maximum number of fields that the iOS 27 poster shows. */
export const POSTER_LIMITS: Partial<Record<PosterList, number>> = {
  headerFields: 1,
  primaryFields: 4,
  footerFields: 2,
};
