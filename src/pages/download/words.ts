/** Our own words on the pages around a card, in one language. */
export interface PageWords {
  /** Code of the language that the words are in. */
  lang: string;
  addToApple: string;
  addToGoogle: string;
  /** The other platform's wallet, as a quiet link. */
  alsoApple: string;
  alsoGoogle: string;
  scanTitle: string;
  scanText: string;
  scanAlternative: string;
  print: string;
  printHint: string;
  backToPass: string;
  languages: string;
  development: string;
  voidedTitle: string;
  voidedText: string;
  expiredTitle: string;
  expiredText: string;
  notFoundTitle: string;
  notFoundText: string;
  goneTitle: string;
  goneText: string;
  errorTitle: string;
  errorText: string;
  tooManyTitle: string;
  tooManyText: string;
}

const en: PageWords = {
  lang: 'en',
  addToApple: 'Add to Apple Wallet',
  addToGoogle: 'Add to Google Wallet',
  alsoApple: 'For Apple Wallet',
  alsoGoogle: 'For Google Wallet',
  scanTitle: 'Add it on your phone',
  scanText: 'Point your phone’s camera at this code. The page opens there, ready to add the pass.',
  scanAlternative: 'QR code with the address of this page',
  print: 'Print version',
  printHint: 'Use your browser’s print command to print this page.',
  backToPass: 'Back to the pass',
  languages: 'Language',
  development: 'Test pass: signed with a development certificate, so an iPhone will not accept it.',
  voidedTitle: 'This pass has been voided',
  voidedText: 'It is no longer valid. You can still keep it in your wallet.',
  expiredTitle: 'This pass has expired',
  expiredText: 'It was valid until {date}.',
  notFoundTitle: 'Pass not found',
  notFoundText: 'There is no pass at this address. Check the link, or ask the sender for a new one.',
  goneTitle: 'This pass no longer exists',
  goneText: 'It has been deleted by its issuer.',
  errorTitle: 'Something went wrong',
  errorText: 'This is our fault. Try again in a moment.',
  tooManyTitle: 'Too many requests',
  tooManyText: 'Wait a minute, then reload this page.',
};

const de: PageWords = {
  lang: 'de',
  addToApple: 'Zu Apple Wallet hinzufügen',
  addToGoogle: 'Zu Google Wallet hinzufügen',
  alsoApple: 'Für Apple Wallet',
  alsoGoogle: 'Für Google Wallet',
  scanTitle: 'Auf dem Handy hinzufügen',
  scanText:
    'Richten Sie die Kamera Ihres Handys auf diesen Code. Dort öffnet sich diese Seite und der Pass lässt sich hinzufügen.',
  scanAlternative: 'QR-Code mit der Adresse dieser Seite',
  print: 'Druckversion',
  printHint: 'Drucken Sie diese Seite mit dem Druckbefehl Ihres Browsers.',
  backToPass: 'Zurück zum Pass',
  languages: 'Sprache',
  development: 'Testpass: mit einem Entwicklungszertifikat signiert, daher nimmt ihn kein iPhone an.',
  voidedTitle: 'Dieser Pass wurde entwertet',
  voidedText: 'Er ist nicht mehr gültig. Sie können ihn weiterhin in Ihrer Wallet aufbewahren.',
  expiredTitle: 'Dieser Pass ist abgelaufen',
  expiredText: 'Er war gültig bis {date}.',
  notFoundTitle: 'Pass nicht gefunden',
  notFoundText:
    'Unter dieser Adresse gibt es keinen Pass. Prüfen Sie den Link oder bitten Sie den Absender um einen neuen.',
  goneTitle: 'Diesen Pass gibt es nicht mehr',
  goneText: 'Der Herausgeber hat ihn gelöscht.',
  errorTitle: 'Etwas ist schiefgegangen',
  errorText: 'Der Fehler liegt bei uns, nicht bei Ihnen. Bitte versuchen Sie es gleich noch einmal.',
  tooManyTitle: 'Zu viele Anfragen',
  tooManyText: 'Bitte warten Sie eine Minute und laden Sie die Seite dann neu.',
};

const fr: PageWords = {
  lang: 'fr',
  addToApple: 'Ajouter à Apple Wallet',
  addToGoogle: 'Ajouter à Google Wallet',
  alsoApple: 'Pour Apple Wallet',
  alsoGoogle: 'Pour Google Wallet',
  scanTitle: 'Ajouter sur votre téléphone',
  scanText: 'Visez ce code avec l’appareil photo de votre téléphone. La page s’y ouvre, prête pour l’ajout du pass.',
  scanAlternative: 'Code QR avec l’adresse de cette page',
  print: 'Version imprimable',
  printHint: 'Utilisez la commande d’impression de votre navigateur pour imprimer cette page.',
  backToPass: 'Retour au pass',
  languages: 'Langue',
  development: 'Pass de test : signé avec un certificat de développement, un iPhone ne l’acceptera pas.',
  voidedTitle: 'Ce pass a été annulé',
  voidedText: 'Il n’est plus valable. Vous pouvez toujours le garder dans votre Wallet.',
  expiredTitle: 'Ce pass a expiré',
  expiredText: 'Il était valable jusqu’au {date}.',
  notFoundTitle: 'Pass introuvable',
  notFoundText:
    'Nous ne trouvons aucun pass à cette adresse. Vérifiez le lien ou demandez-en un nouveau à l’expéditeur.',
  goneTitle: 'Ce pass n’existe plus',
  goneText: 'Son émetteur l’a supprimé.',
  errorTitle: 'Une erreur est survenue',
  errorText: 'L’erreur vient de nous, pas de vous. Veuillez réessayer dans un instant.',
  tooManyTitle: 'Trop de requêtes',
  tooManyText: 'Veuillez patienter une minute, puis recharger la page.',
};

const es: PageWords = {
  lang: 'es',
  addToApple: 'Añadir a Apple Wallet',
  addToGoogle: 'Añadir a Google Wallet',
  alsoApple: 'Para Apple Wallet',
  alsoGoogle: 'Para Google Wallet',
  scanTitle: 'Añadir en su teléfono',
  scanText: 'Apunte a este código con la cámara de su teléfono. La página se abrirá allí, lista para añadir el pase.',
  scanAlternative: 'Código QR con la dirección de esta página',
  print: 'Versión para imprimir',
  printHint: 'Use el comando de impresión de su navegador para imprimir esta página.',
  backToPass: 'Volver al pase',
  languages: 'Idioma',
  development: 'Pase de prueba: firmado con un certificado de desarrollo, un iPhone no lo aceptará.',
  voidedTitle: 'Este pase ha sido anulado',
  voidedText: 'Ya no es válido. Puede conservarlo en su Wallet.',
  expiredTitle: 'Este pase ha caducado',
  expiredText: 'Fue válido hasta el {date}.',
  notFoundTitle: 'Pase no encontrado',
  notFoundText:
    'No encontramos ningún pase en esta dirección. Compruebe el enlace o pida uno nuevo a quien se lo envió.',
  goneTitle: 'Este pase ya no existe',
  goneText: 'Su emisor lo ha eliminado.',
  errorTitle: 'Algo ha fallado',
  errorText: 'El fallo es nuestro, no suyo. Vuelva a intentarlo en un momento.',
  tooManyTitle: 'Demasiadas solicitudes',
  tooManyText: 'Espere un minuto y vuelva a cargar la página.',
};

const it: PageWords = {
  lang: 'it',
  addToApple: 'Aggiungi ad Apple Wallet',
  addToGoogle: 'Aggiungi a Google Wallet',
  alsoApple: 'Per Apple Wallet',
  alsoGoogle: 'Per Google Wallet',
  scanTitle: 'Aggiungi sul telefono',
  scanText:
    'Inquadra questo codice con la fotocamera del telefono. La pagina si apre lì, pronta per aggiungere la tessera.',
  scanAlternative: 'Codice QR con l’indirizzo di questa pagina',
  print: 'Versione per la stampa',
  printHint: 'Usa il comando di stampa del browser per stampare questa pagina.',
  backToPass: 'Torna alla tessera',
  languages: 'Lingua',
  development: 'Tessera di prova: firmata con un certificato di sviluppo, un iPhone non la accetterà.',
  voidedTitle: 'Questa tessera è stata annullata',
  voidedText: 'Non è più valida. Puoi comunque conservarla nel tuo Wallet.',
  expiredTitle: 'Questa tessera è scaduta',
  expiredText: 'Era valida fino al {date}.',
  notFoundTitle: 'Tessera non trovata',
  notFoundText:
    'Non troviamo nessuna tessera a questo indirizzo. Controlla il link o chiedine uno nuovo a chi te lo ha inviato.',
  goneTitle: 'Questa tessera non esiste più',
  goneText: 'È stata eliminata da chi l’ha emessa.',
  errorTitle: 'Qualcosa è andato storto',
  errorText: 'L’errore è nostro, non tuo. Riprova tra un momento.',
  tooManyTitle: 'Troppe richieste',
  tooManyText: 'Attendi un minuto, poi ricarica la pagina.',
};

const nl: PageWords = {
  lang: 'nl',
  addToApple: 'Voeg toe aan Apple Wallet',
  addToGoogle: 'Toevoegen aan Google Wallet',
  alsoApple: 'Voor Apple Wallet',
  alsoGoogle: 'Voor Google Wallet',
  scanTitle: 'Toevoegen op je telefoon',
  scanText: 'Richt de camera van je telefoon op deze code. De pagina opent daar en je kunt de pas toevoegen.',
  scanAlternative: 'QR-code met het adres van deze pagina',
  print: 'Printversie',
  printHint: 'Gebruik de printopdracht van je browser om deze pagina af te drukken.',
  backToPass: 'Terug naar de pas',
  languages: 'Taal',
  development: 'Testpas: ondertekend met een ontwikkelcertificaat, een iPhone accepteert hem niet.',
  voidedTitle: 'Deze pas is ongeldig gemaakt',
  voidedText: 'Hij is niet meer geldig. Je kunt hem wel in je Wallet bewaren.',
  expiredTitle: 'Deze pas is verlopen',
  expiredText: 'Hij was geldig tot {date}.',
  notFoundTitle: 'Pas niet gevonden',
  notFoundText: 'We vinden geen pas op dit adres. Controleer de link of vraag de afzender om een nieuwe.',
  goneTitle: 'Deze pas bestaat niet meer',
  goneText: 'De uitgever heeft hem verwijderd.',
  errorTitle: 'Er ging iets mis',
  errorText: 'De fout ligt bij ons, niet bij jou. Probeer het zo nog eens.',
  tooManyTitle: 'Te veel verzoeken',
  tooManyText: 'Wacht een minuut en laad de pagina dan opnieuw.',
};

/** Languages of our own words; cards can speak more. */
export const PAGE_WORDS: Record<string, PageWords> & { en: PageWords } = { en, de, fr, es, it, nl };
