import { textModules } from '../../wallets/google/layout.ts';
import { Back } from './card-back.tsx';
import type { CardDrawing } from './drawing.ts';
import { translated } from './field-text.ts';

/**
 * What Google Wallet shows of a pass under its details: every text that has no place of its own on the front, then the
 * links.
 */
export function GoogleBack({ drawing }: { drawing: CardDrawing }) {
  const { card, reading } = drawing;
  const head = translated(card.logoText || card.organizationName, reading);
  return <Back drawing={drawing} head={head} fields={textModules(card).map(({ field }) => field)} />;
}
