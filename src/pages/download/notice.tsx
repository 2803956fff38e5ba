import type { Child } from 'hono/jsx';
import type { Card } from '../../domain/passes/card/card.ts';
import { Icon } from '../card/glyphs.tsx';
import type { PageWords } from './words.ts';

/** A message that the visitor must not miss. */
export function Notice({ title, children }: { title: string; children?: Child }) {
  return (
    <section class="notice" role="status">
      <Icon name="notice" />
      <div>
        <h2>{title}</h2>
        {children}
      </div>
    </section>
  );
}

/** The notice for a pass that is no longer valid; empty for a valid one. */
export function StateNotice(props: {
  state: 'ok' | 'voided' | 'expired';
  card: Pick<Card, 'expirationAt' | 'timezone'>;
  language: string;
  words: PageWords;
}) {
  const { state, card, language, words } = props;
  if (state === 'voided') {
    return (
      <Notice title={words.voidedTitle}>
        <p>{words.voidedText}</p>
      </Notice>
    );
  }
  if (state !== 'expired' || card.expirationAt === undefined) return null;
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: card.timezone });
  return (
    <Notice title={words.expiredTitle}>
      <p>{words.expiredText.replace('{date}', format.format(card.expirationAt))}</p>
    </Notice>
  );
}
