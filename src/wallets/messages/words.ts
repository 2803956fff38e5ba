/** Our own words around what a template says, in one language. */
export interface MessageWords {
  lang: string;
  addToApple: string;
  addToGoogle: string;
  /** The only button where the page asks something first. */
  open: string;
  attached: string;
  pin: string;
  blocked: string;
  /** In front of the address of the page. */
  page: string;
}

const en: MessageWords = {
  lang: 'en',
  addToApple: 'Add to Apple Wallet',
  addToGoogle: 'Add to Google Wallet',
  open: 'Open your pass',
  attached: 'The pass is also attached to this e-mail.',
  pin: 'The page will ask for your PIN.',
  blocked: 'The pass is already on a device, so its download is closed for now.',
  page: 'Your pass:',
};

const de: MessageWords = {
  lang: 'de',
  addToApple: 'Zu Apple Wallet hinzufügen',
  addToGoogle: 'Zu Google Wallet hinzufügen',
  open: 'Pass öffnen',
  attached: 'Der Pass hängt auch an dieser E-Mail.',
  pin: 'Die Seite fragt nach Ihrer PIN.',
  blocked: 'Der Pass ist bereits auf einem Gerät; sein Download ist zurzeit geschlossen.',
  page: 'Ihr Pass:',
};

/** The words in a language of ours, else in English. */
export function messageWords(language: string): MessageWords {
  return language.startsWith('de') ? de : en;
}
