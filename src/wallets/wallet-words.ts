/** Labels of the buttons that add a pass to a wallet, as the platforms translate them. */
export const WALLET_WORDS = {
  en: { addToApple: 'Add to Apple Wallet', addToGoogle: 'Add to Google Wallet' },
  de: { addToApple: 'Zu Apple Wallet hinzufügen', addToGoogle: 'Zu Google Wallet hinzufügen' },
  fr: { addToApple: 'Ajouter à Cartes d’Apple', addToGoogle: 'Ajouter à Google Wallet' },
  es: { addToApple: 'Añadir a Cartera de Apple', addToGoogle: 'Añadir a Google Wallet' },
  it: { addToApple: 'Aggiungi ad Apple Wallet', addToGoogle: 'Aggiungi a Google Wallet' },
  nl: { addToApple: 'Voeg toe aan Apple Wallet', addToGoogle: 'Toevoegen aan Google Wallet' },
};
