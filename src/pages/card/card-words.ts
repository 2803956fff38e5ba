/** The service's own texts on a drawn card. All other texts come from the card. */
interface CardWords {
  /** Language code of these texts. */
  lang: string;
  /** Label of the two buttons that turn the card. */
  sides: string;
  front: string;
  back: string;
  barcode: string;
  voided: string;
  expired: string;
  links: string;
}

export const CARD_WORDS: Record<string, CardWords> & { en: CardWords } = {
  en: {
    lang: 'en',
    sides: 'Side of the pass',
    front: 'Pass',
    back: 'Details',
    barcode: 'Barcode',
    voided: 'Voided',
    expired: 'Expired',
    links: 'Links',
  },
  de: {
    lang: 'de',
    sides: 'Seite der Karte',
    front: 'Karte',
    back: 'Details',
    barcode: 'Barcode',
    voided: 'Entwertet',
    expired: 'Abgelaufen',
    links: 'Links',
  },
  fr: {
    lang: 'fr',
    sides: 'Côté du pass',
    front: 'Pass',
    back: 'Détails',
    barcode: 'Code-barres',
    voided: 'Annulé',
    expired: 'Expiré',
    links: 'Liens',
  },
  es: {
    lang: 'es',
    sides: 'Cara del pase',
    front: 'Pase',
    back: 'Detalles',
    barcode: 'Código de barras',
    voided: 'Anulado',
    expired: 'Caducado',
    links: 'Enlaces',
  },
  it: {
    lang: 'it',
    sides: 'Lato del pass',
    front: 'Pass',
    back: 'Dettagli',
    barcode: 'Codice a barre',
    voided: 'Annullato',
    expired: 'Scaduto',
    links: 'Link',
  },
  nl: {
    lang: 'nl',
    sides: 'Kant van de pas',
    front: 'Pas',
    back: 'Details',
    barcode: 'Barcode',
    voided: 'Ongeldig',
    expired: 'Verlopen',
    links: 'Links',
  },
};
