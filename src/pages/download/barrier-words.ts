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
  pinText: 'This pass is protected. Enter the PIN from its issuer.',
  pinLabel: 'PIN',
  pinButton: 'Open pass',
  pinWrong: 'Wrong PIN. Try again.',
  pinLast: 'After one more wrong PIN, the pass is locked for a while.',
  lockedTitle: 'Too many wrong PINs',
  lockedText: 'This pass is locked for a while. Try again {when}.',
  blockedTitle: 'This pass is already on a device',
  blockedText: 'It cannot be downloaded again. If you need it on another device, ask its issuer to open the download.',
  pinNeeded: 'This pass requires a PIN',
  pinLink: 'Enter PIN',
};

const de: BarrierWords = {
  pinTitle: 'PIN eingeben',
  pinText: 'Dieser Pass ist geschützt. Die PIN haben Sie von seinem Aussteller erhalten.',
  pinLabel: 'PIN',
  pinButton: 'Pass öffnen',
  pinWrong: 'Falsche PIN. Bitte versuchen Sie es noch einmal.',
  pinLast: 'Nach einer weiteren falschen PIN wird der Pass vorübergehend gesperrt.',
  lockedTitle: 'Zu viele falsche PINs',
  lockedText: 'Dieser Pass ist vorübergehend gesperrt. Bitte versuchen Sie es {when} noch einmal.',
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
  pinWrong: 'Code PIN incorrect. Veuillez réessayer.',
  pinLast: 'Après un autre code erroné, ce pass sera verrouillé temporairement.',
  lockedTitle: 'Trop de codes PIN erronés',
  lockedText: 'Ce pass est verrouillé temporairement. Réessayez {when}.',
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
  pinWrong: 'PIN incorrecto. Vuelva a intentarlo.',
  pinLast: 'Tras otro PIN incorrecto, el pase se bloqueará temporalmente.',
  lockedTitle: 'Demasiados PIN incorrectos',
  lockedText: 'Este pase está bloqueado temporalmente. Vuelva a intentarlo {when}.',
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
  pinWrong: 'PIN errato. Riprova.',
  pinLast: 'Dopo un altro PIN errato, la tessera sarà bloccata temporaneamente.',
  lockedTitle: 'Troppi PIN errati',
  lockedText: 'Questa tessera è bloccata temporaneamente. Riprova {when}.',
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
  pinWrong: 'Onjuiste pincode. Probeer het nog eens.',
  pinLast: 'Na nog een onjuiste pincode wordt de pas tijdelijk geblokkeerd.',
  lockedTitle: 'Te veel onjuiste pincodes',
  lockedText: 'Deze pas is tijdelijk geblokkeerd. Probeer het {when} nog eens.',
  blockedTitle: 'Deze pas staat al op een apparaat',
  blockedText:
    'Hij kan niet nog eens worden gedownload. Heb je hem op een ander apparaat nodig, vraag de uitgever dan om de download vrij te geven.',
  pinNeeded: 'Deze pas vraagt om een pincode',
  pinLink: 'Pincode invoeren',
};

/** The same languages as `PAGE_WORDS`. */
export const BARRIER_WORDS: Record<string, BarrierWords> & { en: BarrierWords } = { en, de, fr, es, it, nl };
