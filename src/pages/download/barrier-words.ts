/** Our words on the page in front of a pass that is not simply shown, in one language. */
export interface BarrierWords {
  pinTitle: string;
  pinText: string;
  pinLabel: string;
  pinButton: string;
  pinWrong: string;
  /** Behind `pinWrong`, before the last try. */
  pinLast: string;
  lockedTitle: string;
  /** `{when}` is a duration from now: in 15 minutes. */
  lockedText: string;
  blockedTitle: string;
  blockedText: string;
  /** On the page of a bundle, in the place of a pass that asks for a PIN. */
  pinNeeded: string;
  pinLink: string;
}

const en: BarrierWords = {
  pinTitle: 'Enter your PIN',
  pinText: 'This pass is protected. Whoever issued it has given you a PIN.',
  pinLabel: 'PIN',
  pinButton: 'Open the pass',
  pinWrong: 'That is not the PIN. Please try again.',
  pinLast: 'After one more wrong PIN we take none for a while.',
  lockedTitle: 'Too many wrong PINs',
  lockedText: 'To protect this pass we take no PIN for a while. Please try again {when}.',
  blockedTitle: 'This pass is already on a device',
  blockedText: 'It cannot be downloaded again. If you need it on another device, ask its issuer to open the download.',
  pinNeeded: 'This pass asks for a PIN',
  pinLink: 'Enter PIN',
};

const de: BarrierWords = {
  pinTitle: 'PIN eingeben',
  pinText: 'Dieser Pass ist geschützt. Die PIN haben Sie von seinem Aussteller erhalten.',
  pinLabel: 'PIN',
  pinButton: 'Pass öffnen',
  pinWrong: 'Das ist nicht die PIN. Bitte versuchen Sie es noch einmal.',
  pinLast: 'Nach einer weiteren falschen PIN nehmen wir eine Weile keine mehr an.',
  lockedTitle: 'Zu viele falsche PINs',
  lockedText: 'Zum Schutz dieses Passes nehmen wir eine Weile keine PIN an. Bitte versuchen Sie es {when} noch einmal.',
  blockedTitle: 'Dieser Pass ist schon auf einem Gerät',
  blockedText:
    'Er lässt sich nicht noch einmal herunterladen. Brauchen Sie ihn auf einem anderen Gerät, bitten Sie den Aussteller, den Download freizugeben.',
  pinNeeded: 'Dieser Pass verlangt eine PIN',
  pinLink: 'PIN eingeben',
};

const fr: BarrierWords = {
  pinTitle: 'Saisissez votre code PIN',
  pinText: 'Ce pass est protégé. Son émetteur vous a communiqué un code PIN.',
  pinLabel: 'Code PIN',
  pinButton: 'Ouvrir le pass',
  pinWrong: 'Ce n’est pas le bon code PIN. Veuillez réessayer.',
  pinLast: 'Après un autre code erroné, nous n’en accepterons plus pendant un moment.',
  lockedTitle: 'Trop de codes PIN erronés',
  lockedText: 'Pour protéger ce pass, nous n’acceptons plus de code PIN pour le moment. Réessayez {when}.',
  blockedTitle: 'Ce pass est déjà sur un appareil',
  blockedText:
    'Il ne peut pas être téléchargé une nouvelle fois. S’il vous le faut sur un autre appareil, demandez à son émetteur d’ouvrir le téléchargement.',
  pinNeeded: 'Ce pass demande un code PIN',
  pinLink: 'Saisir le code PIN',
};

const es: BarrierWords = {
  pinTitle: 'Introduzca su PIN',
  pinText: 'Este pase está protegido. Su emisor le ha dado un PIN.',
  pinLabel: 'PIN',
  pinButton: 'Abrir el pase',
  pinWrong: 'Ese no es el PIN. Vuelva a intentarlo.',
  pinLast: 'Tras otro PIN incorrecto no aceptaremos ninguno durante un rato.',
  lockedTitle: 'Demasiados PIN incorrectos',
  lockedText: 'Para proteger este pase no aceptamos ningún PIN por ahora. Vuelva a intentarlo {when}.',
  blockedTitle: 'Este pase ya está en un dispositivo',
  blockedText:
    'No se puede descargar otra vez. Si lo necesita en otro dispositivo, pida a su emisor que habilite la descarga.',
  pinNeeded: 'Este pase pide un PIN',
  pinLink: 'Introducir PIN',
};

const it: BarrierWords = {
  pinTitle: 'Inserisci il PIN',
  pinText: 'Questa tessera è protetta. Chi l’ha emessa ti ha dato un PIN.',
  pinLabel: 'PIN',
  pinButton: 'Apri la tessera',
  pinWrong: 'Il PIN non è corretto. Riprova.',
  pinLast: 'Dopo un altro PIN errato non ne accetteremo più per un po’.',
  lockedTitle: 'Troppi PIN errati',
  lockedText: 'Per proteggere questa tessera per ora non accettiamo altri PIN. Riprova {when}.',
  blockedTitle: 'Questa tessera è già su un dispositivo',
  blockedText:
    'Non si può scaricare un’altra volta. Se ti serve su un altro dispositivo, chiedi a chi l’ha emessa di riaprire il download.',
  pinNeeded: 'Questa tessera chiede un PIN',
  pinLink: 'Inserisci il PIN',
};

const nl: BarrierWords = {
  pinTitle: 'Voer je pincode in',
  pinText: 'Deze pas is beveiligd. De uitgever heeft je een pincode gegeven.',
  pinLabel: 'Pincode',
  pinButton: 'Pas openen',
  pinWrong: 'Dat is niet de pincode. Probeer het nog eens.',
  pinLast: 'Na nog een verkeerde pincode nemen we er een tijdje geen meer aan.',
  lockedTitle: 'Te veel onjuiste pincodes',
  lockedText: 'Om deze pas te beschermen nemen we even geen pincode aan. Probeer het {when} nog eens.',
  blockedTitle: 'Deze pas staat al op een apparaat',
  blockedText:
    'Hij kan niet nog eens worden gedownload. Heb je hem op een ander apparaat nodig, vraag de uitgever dan om de download vrij te geven.',
  pinNeeded: 'Deze pas vraagt om een pincode',
  pinLink: 'Pincode invoeren',
};

/** The same languages as `PAGE_WORDS`. */
export const BARRIER_WORDS: Record<string, BarrierWords> & { en: BarrierWords } = { en, de, fr, es, it, nl };
