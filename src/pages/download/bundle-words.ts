/** Our words on the page of a bundle, in one language. */
export interface BundleWords {
  title: string;
  addAllToApple: string;
  addAllToGoogle: string;
  scanText: string;
  /** Leads to the page of one of the passes. */
  openAlone: string;
}

const en: BundleWords = {
  title: 'Your passes',
  addAllToApple: 'Add all to Apple Wallet',
  addAllToGoogle: 'Add all to Google Wallet',
  scanText: 'Point your phone’s camera at this code. The page opens there, ready to add all passes at once.',
  openAlone: 'Open this pass only',
};

const de: BundleWords = {
  title: 'Ihre Pässe',
  addAllToApple: 'Alle zu Apple Wallet hinzufügen',
  addAllToGoogle: 'Alle zu Google Wallet hinzufügen',
  scanText:
    'Richten Sie die Kamera Ihres Handys auf diesen Code. Dort öffnet sich diese Seite und alle Pässe lassen sich auf einmal hinzufügen.',
  openAlone: 'Nur diesen Pass öffnen',
};

const fr: BundleWords = {
  title: 'Vos pass',
  addAllToApple: 'Tout ajouter à Apple Wallet',
  addAllToGoogle: 'Tout ajouter à Google Wallet',
  scanText:
    'Visez ce code avec l’appareil photo de votre téléphone. La page s’y ouvre, prête à ajouter tous les pass en une fois.',
  openAlone: 'Ouvrir ce pass seul',
};

const es: BundleWords = {
  title: 'Sus pases',
  addAllToApple: 'Añadir todos a Apple Wallet',
  addAllToGoogle: 'Añadir todos a Google Wallet',
  scanText:
    'Apunte a este código con la cámara de su teléfono. La página se abrirá allí, lista para añadir todos los pases a la vez.',
  openAlone: 'Abrir solo este pase',
};

const it: BundleWords = {
  title: 'Le tue tessere',
  addAllToApple: 'Aggiungi tutte ad Apple Wallet',
  addAllToGoogle: 'Aggiungi tutte a Google Wallet',
  scanText:
    'Inquadra questo codice con la fotocamera del telefono. La pagina si apre lì, pronta per aggiungere tutte le tessere insieme.',
  openAlone: 'Apri solo questa tessera',
};

const nl: BundleWords = {
  title: 'Je passen',
  addAllToApple: 'Voeg alle toe aan Apple Wallet',
  addAllToGoogle: 'Alle toevoegen aan Google Wallet',
  scanText:
    'Richt de camera van je telefoon op deze code. De pagina opent daar en je kunt alle passen in één keer toevoegen.',
  openAlone: 'Alleen deze pas openen',
};

/** The same languages as `PAGE_WORDS`. */
export const BUNDLE_WORDS: Record<string, BundleWords> & { en: BundleWords } = { en, de, fr, es, it, nl };
