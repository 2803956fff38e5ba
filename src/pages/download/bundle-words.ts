/** Texts of a bundle's page, in one language. */
export interface BundleWords {
  title: string;
  addAllToApple: string;
  addAllToGoogle: string;
  scanTitle: string;
  scanText: string;
  /** Link to the page of a single pass. */
  openAlone: string;
}

const en: BundleWords = {
  title: 'Your passes',
  addAllToApple: 'Add all to Apple Wallet',
  addAllToGoogle: 'Add all to Google Wallet',
  scanTitle: 'Add them on your phone',
  scanText:
    'Point your phone’s camera at this code. The page opens on your phone, where you can add all passes at once.',
  openAlone: 'Open this pass only',
};

const de: BundleWords = {
  title: 'Ihre Karten',
  addAllToApple: 'Alle zu Apple Wallet hinzufügen',
  addAllToGoogle: 'Alle zu Google Wallet hinzufügen',
  scanTitle: 'Auf dem Smartphone hinzufügen',
  scanText:
    'Richten Sie die Kamera Ihres Smartphones auf diesen Code. Die Seite wird dort geöffnet und Sie können alle Karten auf einmal hinzufügen.',
  openAlone: 'Nur diese Karte öffnen',
};

const fr: BundleWords = {
  title: 'Vos pass',
  addAllToApple: 'Tout ajouter à Cartes d’Apple',
  addAllToGoogle: 'Tout ajouter à Google Wallet',
  scanTitle: 'Ajouter les pass sur votre téléphone',
  scanText:
    'Pointez l’appareil photo de votre téléphone vers ce code. La page s’ouvre alors sur votre téléphone, où vous pouvez ajouter tous les pass en une fois.',
  openAlone: 'Ouvrir uniquement ce pass',
};

const es: BundleWords = {
  title: 'Sus pases',
  addAllToApple: 'Añadir todos a Cartera de Apple',
  addAllToGoogle: 'Añadir todos a Google Wallet',
  scanTitle: 'Añadir los pases en su teléfono',
  scanText:
    'Apunte a este código con la cámara de su teléfono. La página se abrirá en el teléfono y podrá añadir todos los pases a la vez.',
  openAlone: 'Abrir solo este pase',
};

const it: BundleWords = {
  title: 'I tuoi pass',
  addAllToApple: 'Aggiungi tutti ad Apple Wallet',
  addAllToGoogle: 'Aggiungi tutti a Google Wallet',
  scanTitle: 'Aggiungi i pass sul telefono',
  scanText:
    'Inquadra questo codice con la fotocamera del telefono. La pagina si apre sul telefono, dove puoi aggiungere tutti i pass insieme.',
  openAlone: 'Apri solo questo pass',
};

const nl: BundleWords = {
  title: 'Je passen',
  addAllToApple: 'Voeg alle passen toe aan Apple Wallet',
  addAllToGoogle: 'Alle passen toevoegen aan Google Wallet',
  scanTitle: 'Voeg de passen toe op je telefoon',
  scanText:
    'Richt de camera van je telefoon op deze code. De pagina opent op je telefoon, waar je alle passen in één keer kunt toevoegen.',
  openAlone: 'Alleen deze pas openen',
};

/** The same languages as `PAGE_WORDS`. */
export const BUNDLE_WORDS: Record<string, BundleWords> & { en: BundleWords } = { en, de, fr, es, it, nl };
