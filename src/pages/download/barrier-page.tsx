import type { Card } from '../../domain/passes/card/card.ts';
import { wordsIn } from '../language.ts';
import { Layout } from '../layout.tsx';
import type { Barrier } from './barrier.ts';
import { BARRIER_WORDS, type BarrierWords } from './barrier-words.ts';
import { PAGE_WORDS } from './words.ts';

export interface BarrierPageProps {
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
