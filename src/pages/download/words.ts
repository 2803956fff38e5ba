import { WALLET_WORDS } from '../../wallets/wallet-words.ts';

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
  ...WALLET_WORDS.en,
  alsoApple: 'For Apple Wallet',
  alsoGoogle: 'For Google Wallet',
  scanTitle: 'Add it on your phone',
  scanText: 'Point your phone’s camera at this code. The page opens on your phone, where you can add the pass.',
  scanAlternative: 'QR code with the link to this page',
  print: 'Print version',
  printHint: 'Use your browser’s print command to print this page.',
  noPrintedCode: 'This code changes constantly, so it can’t be printed. Show it on your phone.',
  backToPass: 'Back to the pass',
  languages: 'Language',
  development: 'Test pass: iPhones don’t accept it, because it is signed with a development certificate.',
  voidedTitle: 'This pass has been voided',
  voidedText: 'It is no longer valid. You can still keep it in your wallet.',
  expiredTitle: 'This pass has expired',
  expiredText: 'It was valid until {date}.',
  notFoundTitle: 'Pass not found',
  notFoundText: 'There is no pass at this link. Check the link, or ask the sender for a new one.',
  goneTitle: 'This pass no longer exists',
  goneText: 'The issuer has deleted it.',
  errorTitle: 'Something went wrong',
  errorText: 'The problem is on our end. Try again in a moment.',
  tooManyTitle: 'Too many requests',
  tooManyText: 'Wait a minute, then reload this page.',
};

const de: PageWords = {
  lang: 'de',
  ...WALLET_WORDS.de,
  alsoApple: 'Für Apple Wallet',
  alsoGoogle: 'Für Google Wallet',
  scanTitle: 'Auf dem Smartphone hinzufügen',
  scanText:
    'Richten Sie die Kamera Ihres Smartphones auf diesen Code. Die Seite wird dort geöffnet und Sie können die Karte hinzufügen.',
  scanAlternative: 'QR-Code mit dem Link zu dieser Seite',
  print: 'Druckversion',
  printHint: 'Drucken Sie diese Seite mit der Druckfunktion Ihres Browsers.',
  noPrintedCode: 'Dieser Code ändert sich laufend und kann nicht gedruckt werden. Zeigen Sie ihn auf Ihrem Smartphone.',
  backToPass: 'Zurück zur Karte',
  languages: 'Sprache',
  development: 'Testkarte: iPhones akzeptieren sie nicht, weil sie mit einem Entwicklungszertifikat signiert ist.',
  voidedTitle: 'Diese Karte wurde entwertet',
  voidedText: 'Sie ist nicht mehr gültig, kann aber in Ihrer Wallet bleiben.',
  expiredTitle: 'Diese Karte ist abgelaufen',
  expiredText: 'Sie war bis zum {date} gültig.',
  notFoundTitle: 'Karte nicht gefunden',
  notFoundText:
    'Unter diesem Link gibt es keine Karte. Prüfen Sie den Link oder bitten Sie den Absender um einen neuen.',
  goneTitle: 'Diese Karte gibt es nicht mehr',
  goneText: 'Der Aussteller hat sie gelöscht.',
  errorTitle: 'Ein Fehler ist aufgetreten',
  errorText: 'Das Problem liegt bei uns. Versuchen Sie es gleich noch einmal.',
  tooManyTitle: 'Zu viele Anfragen',
  tooManyText: 'Warten Sie eine Minute und laden Sie die Seite dann neu.',
};

const fr: PageWords = {
  lang: 'fr',
  ...WALLET_WORDS.fr,
  alsoApple: 'Pour Cartes d’Apple',
  alsoGoogle: 'Pour Google Wallet',
  scanTitle: 'Ajouter le pass sur votre téléphone',
  scanText:
    'Pointez l’appareil photo de votre téléphone vers ce code. La page s’ouvre alors sur votre téléphone, où vous pouvez ajouter le pass.',
  scanAlternative: 'Code QR contenant le lien vers cette page',
  print: 'Version imprimable',
  printHint: 'Utilisez la commande d’impression de votre navigateur pour imprimer cette page.',
  noPrintedCode: 'Ce code change en permanence et ne peut pas être imprimé. Présentez-le sur votre téléphone.',
  backToPass: 'Retour au pass',
  languages: 'Langue',
  development:
    'Pass de test\u00a0: les iPhone ne l’acceptent pas, car il est signé avec un certificat de développement.',
  voidedTitle: 'Ce pass a été annulé',
  voidedText: 'Il n’est plus valide. Vous pouvez tout de même le conserver sur votre téléphone.',
  expiredTitle: 'Ce pass a expiré',
  expiredText: 'Il était valide jusqu’au {date}.',
  notFoundTitle: 'Pass introuvable',
  notFoundText: 'Ce lien ne correspond à aucun pass. Vérifiez-le ou demandez un nouveau lien à l’expéditeur.',
  goneTitle: 'Ce pass n’existe plus',
  goneText: 'L’émetteur l’a supprimé.',
  errorTitle: 'Une erreur est survenue',
  errorText: 'Le problème vient de nous. Réessayez dans un instant.',
  tooManyTitle: 'Trop de requêtes',
  tooManyText: 'Patientez une minute, puis rechargez la page.',
};

const es: PageWords = {
  lang: 'es',
  ...WALLET_WORDS.es,
  alsoApple: 'Para Cartera de Apple',
  alsoGoogle: 'Para Google Wallet',
  scanTitle: 'Añadir el pase en su teléfono',
  scanText:
    'Apunte a este código con la cámara de su teléfono. La página se abrirá en el teléfono y podrá añadir el pase.',
  scanAlternative: 'Código QR con el enlace a esta página',
  print: 'Versión para imprimir',
  printHint: 'Use la función de impresión de su navegador para imprimir esta página.',
  noPrintedCode: 'Este código cambia continuamente y no se puede imprimir. Muéstrelo en su teléfono.',
  backToPass: 'Volver al pase',
  languages: 'Idioma',
  development: 'Pase de prueba: los iPhone no lo aceptan porque está firmado con un certificado de desarrollo.',
  voidedTitle: 'Este pase ha sido anulado',
  voidedText: 'Ya no es válido, pero puede conservarlo en su teléfono.',
  expiredTitle: 'Este pase ha caducado',
  expiredText: 'Era válido hasta el {date}.',
  notFoundTitle: 'Pase no encontrado',
  notFoundText: 'Este enlace no corresponde a ningún pase. Compruébelo o pida uno nuevo a quien se lo envió.',
  goneTitle: 'Este pase ya no existe',
  goneText: 'El emisor lo ha eliminado.',
  errorTitle: 'Se ha producido un error',
  errorText: 'El problema es nuestro. Inténtelo de nuevo en un momento.',
  tooManyTitle: 'Demasiadas solicitudes',
  tooManyText: 'Espere un minuto y vuelva a cargar la página.',
};

const it: PageWords = {
  lang: 'it',
  ...WALLET_WORDS.it,
  alsoApple: 'Per Apple Wallet',
  alsoGoogle: 'Per Google Wallet',
  scanTitle: 'Aggiungi il pass sul telefono',
  scanText:
    'Inquadra questo codice con la fotocamera del telefono. La pagina si apre sul telefono, dove puoi aggiungere il pass.',
  scanAlternative: 'Codice QR con il link a questa pagina',
  print: 'Versione per la stampa',
  printHint: 'Usa la funzione di stampa del browser per stampare questa pagina.',
  noPrintedCode: 'Questo codice cambia di continuo e non può essere stampato. Mostralo sul telefono.',
  backToPass: 'Torna al pass',
  languages: 'Lingua',
  development: 'Pass di prova: gli iPhone non lo accettano perché è firmato con un certificato di sviluppo.',
  voidedTitle: 'Questo pass è stato annullato',
  voidedText: 'Non è più valido, ma puoi conservarlo nel tuo Wallet.',
  expiredTitle: 'Questo pass è scaduto',
  expiredText: 'Data di scadenza: {date}.',
  notFoundTitle: 'Pass non trovato',
  notFoundText: 'Questo link non corrisponde a nessun pass. Controllalo o chiedine uno nuovo a chi te lo ha inviato.',
  goneTitle: 'Questo pass non esiste più',
  goneText: 'L’emittente lo ha eliminato.',
  errorTitle: 'Qualcosa è andato storto',
  errorText: 'Il problema è nostro. Riprova tra poco.',
  tooManyTitle: 'Troppe richieste',
  tooManyText: 'Attendi un minuto, poi ricarica la pagina.',
};

const nl: PageWords = {
  lang: 'nl',
  ...WALLET_WORDS.nl,
  alsoApple: 'Voor Apple Wallet',
  alsoGoogle: 'Voor Google Wallet',
  scanTitle: 'Voeg de pas toe op je telefoon',
  scanText:
    'Richt de camera van je telefoon op deze code. De pagina opent op je telefoon, waar je de pas kunt toevoegen.',
  scanAlternative: 'QR-code met de link naar deze pagina',
  print: 'Afdrukversie',
  printHint: 'Gebruik de afdrukfunctie van je browser om deze pagina af te drukken.',
  noPrintedCode: 'Deze code verandert voortdurend en kan niet worden afgedrukt. Laat hem op je telefoon zien.',
  backToPass: 'Terug naar de pas',
  languages: 'Taal',
  development: 'Testpas: iPhones accepteren deze pas niet, omdat hij is ondertekend met een ontwikkelcertificaat.',
  voidedTitle: 'Deze pas is ongeldig gemaakt',
  voidedText: 'De pas is niet meer geldig. Je kunt hem wel in je Wallet bewaren.',
  expiredTitle: 'Deze pas is verlopen',
  expiredText: 'De pas was geldig tot {date}.',
  notFoundTitle: 'Pas niet gevonden',
  notFoundText: 'Bij deze link hoort geen pas. Controleer de link of vraag de afzender om een nieuwe.',
  goneTitle: 'Deze pas bestaat niet meer',
  goneText: 'De uitgever heeft hem verwijderd.',
  errorTitle: 'Er is iets misgegaan',
  errorText: 'Het probleem ligt bij ons. Probeer het over een paar minuten opnieuw.',
  tooManyTitle: 'Te veel verzoeken',
  tooManyText: 'Wacht een minuut en laad de pagina dan opnieuw.',
};

/** Languages of our own texts. Cards can have more. */
export const PAGE_WORDS: Record<string, PageWords> & { en: PageWords } = { en, de, fr, es, it, nl };
