import type { Card } from '../../domain/passes/card/card.ts';
import { wordsIn } from '../language.ts';
import { Layout } from '../layout.tsx';
import type { Barrier } from './barrier.ts';
import { PAGE_WORDS } from './words.ts';

interface BarrierPageProps {
  barrier: Barrier;
  organizationName: Card['organizationName'];
  language: string;
  /** Remaining attempts before the lock; absent unless a wrong PIN was just sent. */
  triesLeft?: number;
  /** UTC milliseconds: end of the lock, and current time. */
  lockedUntil?: number;
  now: number;
}

/** The page shown in place of a protected pass. It names the issuer and reveals nothing else. */
export function BarrierPage(props: BarrierPageProps) {
  const { barrier, organizationName, language, triesLeft } = props;
  const { lang } = wordsIn(PAGE_WORDS, language);
  const words = wordsIn(BARRIER_WORDS, language);
  const title = words[`${barrier}Title`];
  return (
    <Layout language={lang} title={`${title} · ${organizationName}`} stylesheet="download/styles.css">
      <main class="message">
        <div class="message-card" aria-hidden="true" />
        <p>{organizationName}</p>
        <h1>{title}</h1>
        <p>
          {barrier === 'locked' ? words.lockedText.replace('{when}', whenOf(props, lang)) : words[`${barrier}Text`]}
        </p>
        {barrier === 'pin' && <PinForm words={words} triesLeft={triesLeft} />}
      </main>
    </Layout>
  );
}

/** A form for the PIN. PINs can be any text, so it has no numeric keypad. The form posts to the page's own address. */
function PinForm({ words, triesLeft }: { words: BarrierWords; triesLeft?: number }) {
  const wrong = triesLeft !== undefined;
  return (
    <form class="pin-form" method="post">
      <label for="pin">{words.pinLabel}</label>
      <input
        id="pin"
        name="pin"
        type="password"
        autocomplete="one-time-code"
        autocapitalize="off"
        required
        aria-invalid={wrong ? 'true' : undefined}
        aria-describedby={wrong ? 'pin-wrong' : undefined}
      />
      {wrong && (
        <p id="pin-wrong" class="pin-wrong" role="alert">
          {words.pinWrong} {triesLeft === 1 && words.pinLast}
        </p>
      )}
      <button class="wallet-button" type="submit">
        {words.pinButton}
      </button>
    </form>
  );
}

function whenOf({ lockedUntil, now }: BarrierPageProps, language: string): string {
  const minutes = Math.max(1, Math.ceil(((lockedUntil ?? now) - now) / 60_000));
  return new Intl.RelativeTimeFormat(language).format(minutes, 'minute');
}

/** Texts of the page in place of a protected pass, in one language. */
type BarrierWords = Record<keyof typeof en, string>;

const en = {
  pinTitle: 'Enter your PIN',
  pinText: 'This pass is protected. Enter the PIN that the issuer gave you.',
  pinLabel: 'PIN',
  pinButton: 'Open pass',
  pinWrong: 'Wrong PIN. Try again.',
  /** Follows `pinWrong` before the last attempt. */
  pinLast: 'If the next PIN is wrong, the pass is locked temporarily.',
  lockedTitle: 'Too many wrong PINs',
  /** `{when}` is a relative time, such as "in 15 minutes". */
  lockedText: 'This pass is temporarily locked. Try again {when}.',
  blockedTitle: 'This pass is already on a device',
  blockedText:
    'You can’t download it again. If you need it on another device, ask the issuer to allow another download.',
  /** Shown on a bundle's page in place of a pass with a PIN. */
  pinNeeded: 'This pass requires a PIN',
  pinLink: 'Enter PIN',
};

const de: BarrierWords = {
  pinTitle: 'PIN eingeben',
  pinText: 'Diese Karte ist geschützt. Geben Sie die PIN ein, die Sie vom Aussteller erhalten haben.',
  pinLabel: 'PIN',
  pinButton: 'Karte öffnen',
  pinWrong: 'Falsche PIN. Versuchen Sie es noch einmal.',
  pinLast: 'Nach einer weiteren falschen PIN wird die Karte vorübergehend gesperrt.',
  lockedTitle: 'Zu viele falsche PIN-Eingaben',
  lockedText: 'Diese Karte ist vorübergehend gesperrt. Versuchen Sie es {when} noch einmal.',
  blockedTitle: 'Diese Karte ist bereits auf einem Gerät',
  blockedText:
    'Sie können sie nicht noch einmal herunterladen. Wenn Sie die Karte auf einem anderen Gerät brauchen, bitten Sie den Aussteller, den Download freizugeben.',
  pinNeeded: 'Diese Karte ist mit einer PIN geschützt',
  pinLink: 'PIN eingeben',
};

const fr: BarrierWords = {
  pinTitle: 'Saisissez votre code PIN',
  pinText: 'Ce pass est protégé. Saisissez le code PIN que l’émetteur vous a communiqué.',
  pinLabel: 'Code PIN',
  pinButton: 'Ouvrir le pass',
  pinWrong: 'Code PIN incorrect. Réessayez.',
  pinLast: 'Si le prochain code est incorrect, le pass sera verrouillé temporairement.',
  lockedTitle: 'Trop de codes PIN incorrects',
  lockedText: 'Ce pass est verrouillé temporairement. Réessayez {when}.',
  blockedTitle: 'Ce pass est déjà sur un appareil',
  blockedText:
    'Vous ne pouvez pas le télécharger à nouveau. Si vous en avez besoin sur un autre appareil, demandez à l’émetteur d’autoriser le téléchargement.',
  pinNeeded: 'Ce pass est protégé par un code PIN',
  pinLink: 'Saisir le code PIN',
};

const es: BarrierWords = {
  pinTitle: 'Introduzca su PIN',
  pinText: 'Este pase está protegido. Introduzca el PIN que le ha dado el emisor.',
  pinLabel: 'PIN',
  pinButton: 'Abrir el pase',
  pinWrong: 'PIN incorrecto. Inténtelo de nuevo.',
  pinLast: 'Si se equivoca otra vez, el pase se bloqueará temporalmente.',
  lockedTitle: 'Demasiados PIN incorrectos',
  lockedText: 'Este pase está bloqueado temporalmente. Inténtelo de nuevo {when}.',
  blockedTitle: 'Este pase ya está en un dispositivo',
  blockedText:
    'No puede descargarlo otra vez. Si lo necesita en otro dispositivo, pida al emisor que permita la descarga.',
  pinNeeded: 'Este pase está protegido con un PIN',
  pinLink: 'Introducir el PIN',
};

const it: BarrierWords = {
  pinTitle: 'Inserisci il PIN',
  pinText: 'Questo pass è protetto. Inserisci il PIN che hai ricevuto dall’emittente.',
  pinLabel: 'PIN',
  pinButton: 'Apri il pass',
  pinWrong: 'PIN errato. Riprova.',
  pinLast: 'Dopo un altro PIN errato, il pass sarà bloccato temporaneamente.',
  lockedTitle: 'Troppi PIN errati',
  lockedText: 'Questo pass è bloccato temporaneamente. Riprova {when}.',
  blockedTitle: 'Questo pass è già su un dispositivo',
  blockedText:
    'Non puoi scaricarlo di nuovo. Se ti serve su un altro dispositivo, chiedi all’emittente di consentire il download.',
  pinNeeded: 'Questo pass è protetto da un PIN',
  pinLink: 'Inserisci il PIN',
};

const nl: BarrierWords = {
  pinTitle: 'Voer je pincode in',
  pinText: 'Deze pas is beveiligd. Voer de pincode in die je van de uitgever hebt gekregen.',
  pinLabel: 'Pincode',
  pinButton: 'Pas openen',
  pinWrong: 'Onjuiste pincode. Probeer het opnieuw.',
  pinLast: 'Na nog een onjuiste pincode wordt de pas tijdelijk geblokkeerd.',
  lockedTitle: 'Te veel onjuiste pincodes',
  lockedText: 'Deze pas is tijdelijk geblokkeerd. Probeer het {when} opnieuw.',
  blockedTitle: 'Deze pas staat al op een apparaat',
  blockedText:
    'Je kunt de pas niet opnieuw downloaden. Heb je hem nodig op een ander apparaat? Vraag de uitgever dan om de download toe te staan.',
  pinNeeded: 'Deze pas is beveiligd met een pincode',
  pinLink: 'Pincode invoeren',
};

/** The same languages as `PAGE_WORDS`. */
export const BARRIER_WORDS: Record<string, BarrierWords> & { en: BarrierWords } = { en, de, fr, es, it, nl };
