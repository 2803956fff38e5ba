import type { Card, CardField } from '../../domain/passes/card/card.ts';

/** The five pass styles of both wallets. */
export type CardStyle = 'boardingPass' | 'coupon' | 'eventTicket' | 'generic' | 'storeCard';

const HEADER_FIELDS_MAX = 3;
const ROW_FIELDS_MAX = 4;
const BOARDING_AUXILIARY_FIELDS_MAX = 5;

/** What the front shows and where. Wallets cut off items beyond these counts, so the picture does too. */
export interface CardLayout {
  style: CardStyle;
  /** `strip`: primary field on the strip image; `route`: from and to; `plain`: primary field on the background. */
  primary: 'strip' | 'route' | 'plain';
  headerFields: CardField[];
  primaryFields: CardField[];
  /** Rows below the primary fields, from top to bottom. None is empty. */
  rows: CardField[][];
}

/**
 * Arranges a card as Apple Wallet does. Counts and order come from Apple's pass style pages and Wallet Developer Guide.
 */
export function cardLayout(card: Card): CardLayout {
  const style = card.type === 'eventTicketBackground' ? 'eventTicket' : card.type;
  const { headerFields, primaryFields } = card.fields;
  return {
    style,
    primary: primaryPlace(card, style),
    headerFields: headerFields.slice(0, HEADER_FIELDS_MAX),
    primaryFields: primaryFields.slice(0, style === 'boardingPass' ? 2 : 1),
    rows: fieldRows(card, style).filter((row) => row.length > 0),
  };
}

function primaryPlace(card: Card, style: CardStyle): CardLayout['primary'] {
  if (style === 'boardingPass') return 'route';
  if (style === 'coupon' || style === 'storeCard') return 'strip';
  return style === 'eventTicket' && card.images.strip ? 'strip' : 'plain';
}

function fieldRows(card: Card, style: CardStyle): CardField[][] {
  const { secondaryFields: secondary, auxiliaryFields: auxiliary } = card.fields;
  const inOneRow = [[...secondary, ...auxiliary].slice(0, ROW_FIELDS_MAX)];
  switch (style) {
    case 'coupon':
    case 'storeCard':
      return inOneRow;
    case 'generic': {
      const square = card.barcode?.format === 'qr' || card.barcode?.format === 'aztec';
      return square ? inOneRow : [secondary.slice(0, ROW_FIELDS_MAX), auxiliary.slice(0, ROW_FIELDS_MAX)];
    }
    case 'boardingPass':
      return [auxiliary.slice(0, BOARDING_AUXILIARY_FIELDS_MAX), secondary.slice(0, ROW_FIELDS_MAX)];
    case 'eventTicket': {
      const row = (number: 0 | 1) => auxiliary.filter((field) => (field.row ?? 0) === number).slice(0, ROW_FIELDS_MAX);
      return [secondary.slice(0, ROW_FIELDS_MAX), row(0), row(1)];
    }
  }
}
