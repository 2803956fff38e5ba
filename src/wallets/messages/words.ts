/** The service's own texts around a template's text, in one language. */
export interface MessageWords {
  lang: string;
  addToApple: string;
  addToGoogle: string;
  /** The only button if the page asks for a PIN or blocks the download. */
  open: string;
  attached: string;
  pin: string;
  blocked: string;
  /** Precedes the URL of the page. */
  page: string;
}

const en: MessageWords = {
  lang: 'en',
  addToApple: 'Add to Apple Wallet',
  addToGoogle: 'Add to Google Wallet',
  open: 'Open your pass',
  attached: 'The pass is also attached to this e-mail.',
  pin: 'The page asks for your PIN.',
  blocked: 'The pass is already on a device. You can’t download it again at the moment.',
  page: 'Your pass:',
};

const de: MessageWords = {
  lang: 'de',
  addToApple: 'Zu Apple Wallet hinzufügen',
  addToGoogle: 'Zu Google Wallet hinzufügen',
  open: 'Karte öffnen',
  attached: 'Die Karte finden Sie auch im Anhang dieser E-Mail.',
  pin: 'Auf der Seite werden Sie nach Ihrer PIN gefragt.',
  blocked: 'Die Karte ist bereits auf einem Gerät. Sie können sie derzeit nicht noch einmal herunterladen.',
  page: 'Ihre Karte:',
};

/** Returns the texts in a supported language, or in English. */
export function messageWords(language: string): MessageWords {
  return language.startsWith('de') ? de : en;
}
