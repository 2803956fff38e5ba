import { own } from '../../platform/json.ts';
import { WALLET_WORDS } from '../wallet-words.ts';

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
  ...WALLET_WORDS.en,
  open: 'Open your pass',
  attached: 'The pass is also attached to this e-mail.',
  pin: 'The page asks for your PIN.',
  blocked: 'The pass is already on a device. You can’t download it again at the moment.',
  page: 'Your pass:',
};

const de: MessageWords = {
  lang: 'de',
  ...WALLET_WORDS.de,
  open: 'Karte öffnen',
  attached: 'Die Karte finden Sie auch im Anhang dieser E-Mail.',
  pin: 'Auf der Seite werden Sie nach Ihrer PIN gefragt.',
  blocked: 'Die Karte ist bereits auf einem Gerät. Sie können sie derzeit nicht noch einmal herunterladen.',
  page: 'Ihre Karte:',
};

const fr: MessageWords = {
  lang: 'fr',
  ...WALLET_WORDS.fr,
  open: 'Ouvrir le pass',
  attached: 'Vous trouverez également le pass en pièce jointe.',
  pin: 'La page vous demandera votre code PIN.',
  blocked: 'Le pass est déjà sur un appareil. Vous ne pouvez pas le télécharger à nouveau pour le moment.',
  page: 'Votre pass\u00a0:',
};

const es: MessageWords = {
  lang: 'es',
  ...WALLET_WORDS.es,
  open: 'Abrir el pase',
  attached: 'El pase también está adjunto a este correo.',
  pin: 'La página le pedirá su PIN.',
  blocked: 'El pase ya está en un dispositivo. De momento no puede volver a descargarlo.',
  page: 'Su pase:',
};

const it: MessageWords = {
  lang: 'it',
  ...WALLET_WORDS.it,
  open: 'Apri il pass',
  attached: 'Trovi il pass anche in allegato a questa e-mail.',
  pin: 'La pagina ti chiederà il PIN.',
  blocked: 'Il pass è già su un dispositivo. Al momento non puoi scaricarlo di nuovo.',
  page: 'Il tuo pass:',
};

const nl: MessageWords = {
  lang: 'nl',
  ...WALLET_WORDS.nl,
  open: 'Pas openen',
  attached: 'Je vindt de pas ook in de bijlage van deze e-mail.',
  pin: 'De pagina vraagt om je pincode.',
  blocked: 'De pas staat al op een apparaat. Je kunt hem op dit moment niet opnieuw downloaden.',
  page: 'Je pas:',
};

const WORDS: Record<string, MessageWords> = { en, de, fr, es, it, nl };

/** Returns the texts in the language of an account, or in English. */
export function messageWords(language: string): MessageWords {
  return own(WORDS, language) ?? en;
}
