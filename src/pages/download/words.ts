/** Texts of the pages around a card, in one language. */
export interface PageWords {
  /** Language code of these texts. */
  lang: string;
  addToApple: string;
  addToGoogle: string;
  /** Link to the other platform's wallet. */
  alsoApple: string;
  alsoGoogle: string;
  scanTitle: string;
  scanText: string;
  scanAlternative: string;
  print: string;
  printHint: string;
  noPrintedCode: string;
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
  scanText: 'Point your phone’s camera at this code. The page opens on your phone, where you can add the pass.',
  scanAlternative: 'QR code with the link to this page',
  print: 'Print version',
  printHint: 'Use your browser’s print command to print this page.',
  noPrintedCode: 'The code changes all the time. Show it on your phone.',
  backToPass: 'Back to the pass',
  languages: 'Language',
  development: 'Test pass: it is signed with a development certificate, so iPhones don’t accept it.',
  voidedTitle: 'This pass has been voided',
  voidedText: 'It is no longer valid. You can still keep it in your wallet.',
  expiredTitle: 'This pass has expired',
  expiredText: 'It was valid until {date}.',
  notFoundTitle: 'Pass not found',
  notFoundText: 'This link leads to no pass. Check the link, or ask the sender for a new one.',
  goneTitle: 'This pass no longer exists',
  goneText: 'The issuer has deleted it.',
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
  scanTitle: 'Auf dem Smartphone hinzufügen',
  scanText:
    'Richten Sie die Kamera Ihres Smartphones auf diesen Code. Die Seite wird dort geöffnet und Sie können die Karte hinzufügen.',
  scanAlternative: 'QR-Code mit dem Link zu dieser Seite',
  print: 'Druckversion',
  printHint: 'Drucken Sie diese Seite mit der Druckfunktion Ihres Browsers.',
  noPrintedCode: 'Der Code ändert sich laufend. Zeigen Sie ihn auf Ihrem Smartphone.',
  backToPass: 'Zurück zur Karte',
  languages: 'Sprache',
  development: 'Testkarte: Sie ist mit einem Entwicklungszertifikat signiert und wird von iPhones nicht akzeptiert.',
  voidedTitle: 'Diese Karte wurde entwertet',
  voidedText: 'Sie ist nicht mehr gültig. Sie können sie weiterhin in Ihrer Wallet aufbewahren.',
  expiredTitle: 'Diese Karte ist abgelaufen',
  expiredText: 'Sie war bis zum {date} gültig.',
  notFoundTitle: 'Karte nicht gefunden',
  notFoundText:
    'Unter diesem Link gibt es keine Karte. Prüfen Sie den Link oder bitten Sie den Absender um einen neuen.',
  goneTitle: 'Diese Karte gibt es nicht mehr',
  goneText: 'Der Aussteller hat sie gelöscht.',
  errorTitle: 'Etwas ist schiefgegangen',
  errorText: 'Der Fehler liegt bei uns. Versuchen Sie es gleich noch einmal.',
  tooManyTitle: 'Zu viele Anfragen',
  tooManyText: 'Warten Sie eine Minute und laden Sie die Seite dann neu.',
};

const fr: PageWords = {
  lang: 'fr',
  addToApple: 'Ajouter à Apple Wallet',
  addToGoogle: 'Ajouter à Google Wallet',
  alsoApple: 'Pour Apple Wallet',
  alsoGoogle: 'Pour Google Wallet',
  scanTitle: 'Ajoutez-le sur votre téléphone',
  scanText: 'Visez ce code avec l’appareil photo de votre téléphone. La page s’y ouvre et vous pouvez ajouter le pass.',
  scanAlternative: 'Code QR contenant le lien vers cette page',
  print: 'Version imprimable',
  printHint: 'Utilisez la commande d’impression de votre navigateur pour imprimer cette page.',
  noPrintedCode: 'Le code change en permanence. Présentez-le sur votre téléphone.',
  backToPass: 'Retour au pass',
  languages: 'Langue',
  development: 'Pass de test\u00a0: il est signé avec un certificat de développement et les iPhone ne l’acceptent pas.',
  voidedTitle: 'Ce pass a été annulé',
  voidedText: 'Il n’est plus valable. Vous pouvez le conserver dans votre Wallet.',
  expiredTitle: 'Ce pass a expiré',
  expiredText: 'Il était valable jusqu’au {date}.',
  notFoundTitle: 'Pass introuvable',
  notFoundText: 'Ce lien ne mène à aucun pass. Vérifiez-le ou demandez un nouveau lien à l’expéditeur.',
  goneTitle: 'Ce pass n’existe plus',
  goneText: 'L’émetteur l’a supprimé.',
  errorTitle: 'Une erreur est survenue',
  errorText: 'Le problème vient de nous. Réessayez dans un instant.',
  tooManyTitle: 'Trop de requêtes',
  tooManyText: 'Patientez une minute, puis rechargez la page.',
};

const es: PageWords = {
  lang: 'es',
  addToApple: 'Añadir a Apple Wallet',
  addToGoogle: 'Añadir a Google Wallet',
  alsoApple: 'Para Apple Wallet',
  alsoGoogle: 'Para Google Wallet',
  scanTitle: 'Añádalo en su teléfono',
  scanText: 'Apunte a este código con la cámara de su teléfono. La página se abrirá allí y podrá añadir el pase.',
  scanAlternative: 'Código QR con el enlace a esta página',
  print: 'Versión para imprimir',
  printHint: 'Use la función de impresión de su navegador para imprimir esta página.',
  noPrintedCode: 'El código cambia continuamente. Muéstrelo en su teléfono.',
  backToPass: 'Volver al pase',
  languages: 'Idioma',
  development: 'Pase de prueba: está firmado con un certificado de desarrollo y los iPhone no lo aceptan.',
  voidedTitle: 'Este pase ha sido anulado',
  voidedText: 'Ya no es válido. Puede conservarlo en su Wallet.',
  expiredTitle: 'Este pase ha caducado',
  expiredText: 'Era válido hasta el {date}.',
  notFoundTitle: 'Pase no encontrado',
  notFoundText: 'Este enlace no lleva a ningún pase. Compruébelo o pida uno nuevo a quien se lo envió.',
  goneTitle: 'Este pase ya no existe',
  goneText: 'El emisor lo ha eliminado.',
  errorTitle: 'Se ha producido un error',
  errorText: 'El problema es nuestro. Inténtelo de nuevo en un momento.',
  tooManyTitle: 'Demasiadas solicitudes',
  tooManyText: 'Espere un minuto y vuelva a cargar la página.',
};

const it: PageWords = {
  lang: 'it',
  addToApple: 'Aggiungi ad Apple Wallet',
  addToGoogle: 'Aggiungi a Google Wallet',
  alsoApple: 'Per Apple Wallet',
  alsoGoogle: 'Per Google Wallet',
  scanTitle: 'Aggiungilo sul telefono',
  scanText: 'Inquadra questo codice con la fotocamera del telefono. La pagina si apre lì e puoi aggiungere il pass.',
  scanAlternative: 'Codice QR con il link a questa pagina',
  print: 'Versione per la stampa',
  printHint: 'Usa la funzione di stampa del browser per stampare questa pagina.',
  noPrintedCode: 'Il codice cambia di continuo. Mostralo sul telefono.',
  backToPass: 'Torna al pass',
  languages: 'Lingua',
  development: 'Pass di prova: è firmato con un certificato di sviluppo e gli iPhone non lo accettano.',
  voidedTitle: 'Questo pass è stato annullato',
  voidedText: 'Non è più valido. Puoi comunque conservarlo nel tuo Wallet.',
  expiredTitle: 'Questo pass è scaduto',
  expiredText: 'Data di scadenza: {date}.',
  notFoundTitle: 'Pass non trovato',
  notFoundText: 'Questo link non porta a nessun pass. Controllalo o chiedine uno nuovo a chi te lo ha inviato.',
  goneTitle: 'Questo pass non esiste più',
  goneText: 'Chi lo ha emesso lo ha eliminato.',
  errorTitle: 'Qualcosa è andato storto',
  errorText: 'Il problema è nostro. Riprova tra poco.',
  tooManyTitle: 'Troppe richieste',
  tooManyText: 'Attendi un minuto, poi ricarica la pagina.',
};

const nl: PageWords = {
  lang: 'nl',
  addToApple: 'Voeg toe aan Apple Wallet',
  addToGoogle: 'Toevoegen aan Google Wallet',
  alsoApple: 'Voor Apple Wallet',
  alsoGoogle: 'Voor Google Wallet',
  scanTitle: 'Voeg toe op je telefoon',
  scanText: 'Richt de camera van je telefoon op deze code. De pagina wordt daar geopend en je kunt de pas toevoegen.',
  scanAlternative: 'QR-code met de link naar deze pagina',
  print: 'Afdrukversie',
  printHint: 'Gebruik de afdrukfunctie van je browser om deze pagina af te drukken.',
  noPrintedCode: 'De code verandert voortdurend. Laat hem op je telefoon zien.',
  backToPass: 'Terug naar de pas',
  languages: 'Taal',
  development: 'Testpas: deze is ondertekend met een ontwikkelcertificaat en wordt niet geaccepteerd door iPhones.',
  voidedTitle: 'Deze pas is ongeldig gemaakt',
  voidedText: 'De pas is niet meer geldig. Je kunt hem wel in je Wallet bewaren.',
  expiredTitle: 'Deze pas is verlopen',
  expiredText: 'De pas was geldig tot {date}.',
  notFoundTitle: 'Pas niet gevonden',
  notFoundText: 'Deze link leidt naar geen enkele pas. Controleer de link of vraag de afzender om een nieuwe.',
  goneTitle: 'Deze pas bestaat niet meer',
  goneText: 'De uitgever heeft hem verwijderd.',
  errorTitle: 'Er ging iets mis',
  errorText: 'De fout ligt bij ons. Probeer het zo opnieuw.',
  tooManyTitle: 'Te veel verzoeken',
  tooManyText: 'Wacht een minuut en laad de pagina dan opnieuw.',
};

/** Languages of our own texts. Cards can have more. */
export const PAGE_WORDS: Record<string, PageWords> & { en: PageWords } = { en, de, fr, es, it, nl };
