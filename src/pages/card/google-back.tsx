import { textModules } from '../../wallets/google/layout.ts';
import { BackLinks } from './card-back.tsx';
import type { CardDrawing } from './drawing.ts';
import { fieldText, translated } from './field-text.ts';
import { Linkified } from './linkify.tsx';

/** What Google Wallet shows of a pass under its details: every text that has no place of its own on the front, then the links. */
export function GoogleBack({ drawing }: { drawing: CardDrawing }) {
  const { card, reading } = drawing;
  const fields = textModules(card)
    .map(({ field }) => ({ label: translated(field.label, reading), text: fieldText(field, reading) }))
    .filter(({ text }) => text !== '');
  return (
    <div class="card-back">
      <p class="card-back-head">{translated(card.logoText || card.organizationName, reading)}</p>
      {fields.length > 0 && (
        <dl>
          {fields.map(({ label, text }) => (
            <div class="card-back-field">
              <dt>{label}</dt>
              <dd>
                <Linkified text={text} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <BackLinks drawing={drawing} />
    </div>
  );
}
