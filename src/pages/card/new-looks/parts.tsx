import type { ImageRole } from '../../../domain/images/stored-image.ts';
import { wordsIn } from '../../language.ts';
import type { CardDrawing } from '../drawing.ts';
import { WALLET_WORDS, type WalletWords } from './wallet-words.ts';

/** Returns Wallet's own texts in the language of the drawing. */
export const walletWords = ({ language }: CardDrawing): WalletWords => wordsIn(WALLET_WORDS, language);

/** An image of the card. Its text alternative is empty where a text says the same. */
export function Image(props: { drawing: CardDrawing; show: ImageRole; as: string; alt?: string }) {
  const { drawing, show: role, as, alt = '' } = props;
  const image = drawing.card.images[role];
  if (!image) return null;
  const { width, height } = image;
  return <img class={as} src={drawing.imageUrl(image, role)} width={width} height={height} alt={alt} />;
}

interface LabeledValueProps {
  /** A text of Wallet, or a label of the card. */
  label: string;
  value: string;
  /** Language of the label, if it differs from the card's. */
  lang?: string;
  /** CSS classes; default: those of a field. */
  as?: string;
}

/** A label above its value, in a `<dl>`. */
export function LabeledValue({ label, value, lang, as = 'card-field' }: LabeledValueProps) {
  return (
    <div class={as}>
      <dt lang={lang}>
        <bdi>{label}</bdi>
      </dt>
      <dd>
        <bdi>{value}</bdi>
      </dd>
    </div>
  );
}

export type Fact = Omit<LabeledValueProps, 'as'>;

/** Labels above their values, in a row that wraps. */
export function Facts({ facts, as }: { facts: Fact[]; as: string }) {
  const shown = facts.filter(({ value }) => value !== '');
  if (shown.length === 0) return null;
  return (
    <dl class={as}>
      {shown.map((fact) => (
        <LabeledValue {...fact} />
      ))}
    </dl>
  );
}
