import type { CardField } from '../../domain/passes/card/card.ts';
import { wordsIn } from '../language.ts';
import { CARD_WORDS } from './card-words.ts';
import type { CardDrawing } from './drawing.ts';
import { translated } from './field-text.ts';
import { Linkified, OutsideLink } from './linkify.tsx';
import { shownFields, shownLinks } from './shown-texts.ts';

/** The back of a pass: the list of back fields and links. */
export function CardBack({ drawing }: { drawing: CardDrawing }) {
  const { card, reading } = drawing;
  return <Back drawing={drawing} head={translated(card.description, reading)} fields={card.fields.backFields} />;
}

interface BackProps {
  drawing: CardDrawing;
  head: string;
  fields: CardField[];
}

/** The back of a pass: its heading `head`, the fields that have a text, and the links. */
export function Back({ drawing, head, fields }: BackProps) {
  const shown = shownFields(fields, drawing.reading);
  return (
    <div class="card-back">
      <p class="card-back-head">{head}</p>
      {shown.length > 0 && (
        <dl>
          {shown.map(({ label, text }) => (
            <div class="card-back-field">
              <dt>
                <bdi>{label}</bdi>
              </dt>
              <dd>
                <bdi>
                  <Linkified text={text} />
                </bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <BackLinks drawing={drawing} />
    </div>
  );
}

/** The links of the pass, without those that a page must not link to. */
function BackLinks({ drawing }: { drawing: CardDrawing }) {
  const links = shownLinks(drawing.card, drawing.reading);
  if (links.length === 0) return null;
  return (
    <ul class="card-links" aria-label={wordsIn(CARD_WORDS, drawing.language).links}>
      {links.map(({ href, label, address }) => (
        <li>
          <OutsideLink href={href}>{label || address}</OutsideLink>
        </li>
      ))}
    </ul>
  );
}
