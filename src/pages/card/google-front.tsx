import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { googleKindOf } from '../../domain/passes/google/google-kind.ts';
import { classTemplateInfo } from '../../wallets/google/layout.ts';
import { CodeAndState } from './code-and-state.tsx';
import type { CardDrawing } from './drawing.ts';
import { fieldText, translated } from './field-text.ts';
import { TransitGlyph } from './glyphs.tsx';
import { fieldsByPath } from './google-fields.ts';

/** The front of a pass as Google Wallet shows it: a round logo, a title, rows, the code, a picture at the end. */
export function GoogleFront({ drawing }: { drawing: CardDrawing }) {
  const { card, state } = drawing;
  const hero = card.images.strip ?? card.images.background;
  return (
    <div class={`card-front google-front ${state === 'ok' ? '' : 'invalid'}`}>
      <GoogleHeader drawing={drawing} />
      <GoogleTitle drawing={drawing} />
      {googleRows(card).map((fields) => (
        <dl class="google-row">
          {fields.map((field) => (
            <GoogleField drawing={drawing} field={field} />
          ))}
        </dl>
      ))}
      <GoogleCode drawing={drawing} />
      {hero && (
        <img
          class="google-hero"
          src={drawing.imageUrl(hero, card.images.strip ? 'strip' : 'background')}
          width={hero.width}
          height={hero.height}
          alt=""
        />
      )}
    </div>
  );
}

function GoogleHeader({ drawing }: { drawing: CardDrawing }) {
  const { card, reading } = drawing;
  const role = card.images.logo ? 'logo' : 'icon';
  const logo = card.images[role];
  const name = googleKindOf(card) === 'generic' ? card.logoText || card.organizationName : card.organizationName;
  const wide = card.google?.wideLogo;
  if (wide && googleKindOf(card) !== 'flight') {
    const src = drawing.imageUrl({ ...wide, variants: {} }, 'logo');
    return (
      <div class="google-header">
        <img
          class="google-wide-logo"
          src={src}
          width={wide.width}
          height={wide.height}
          alt={translated(name, reading)}
        />
      </div>
    );
  }
  return (
    <div class="google-header">
      <span class="google-logo">
        {logo ? (
          <img
            class="google-logo-image"
            src={drawing.imageUrl(logo, role)}
            width={logo.width}
            height={logo.height}
            alt=""
          />
        ) : (
          <span aria-hidden="true">{name.charAt(0)}</span>
        )}
      </span>
      <span>{translated(name, reading)}</span>
    </div>
  );
}

function GoogleTitle({ drawing }: { drawing: CardDrawing }) {
  const { card } = drawing;
  const [first, second] = card.fields.primaryFields;
  switch (googleKindOf(card)) {
    case 'flight':
    case 'transit':
      return <GoogleRoute drawing={drawing} from={first} to={second} />;
    case 'offer':
      return <Title drawing={drawing} text={card.description} />;
    case 'loyalty':
    case 'giftCard':
      return <Title drawing={drawing} text={card.logoText || card.organizationName} />;
    case 'eventTicket':
      return first ? (
        <FieldTitle drawing={drawing} field={first} />
      ) : (
        <Title drawing={drawing} text={card.description} />
      );
    case 'generic':
      return first && first.value !== '' ? (
        <FieldTitle drawing={drawing} field={first} withLabel />
      ) : (
        <Title drawing={drawing} text={card.description} />
      );
  }
}

function Title({ drawing, text }: { drawing: CardDrawing; text: string }) {
  return <p class="google-title">{translated(text, drawing.reading)}</p>;
}

function FieldTitle(props: { drawing: CardDrawing; field: CardField; withLabel?: boolean }) {
  const { drawing, field, withLabel } = props;
  return (
    <>
      {withLabel && field.label && <p class="google-subheader">{translated(field.label, drawing.reading)}</p>}
      <p class="google-title">
        <bdi>{fieldText(field, drawing.reading)}</bdi>
      </p>
    </>
  );
}

function GoogleRoute({ drawing, from, to }: { drawing: CardDrawing; from?: CardField; to?: CardField }) {
  if (!from) return <Title drawing={drawing} text={drawing.card.description} />;
  return (
    <div class="google-route">
      <dl>
        <GoogleField drawing={drawing} field={from} />
      </dl>
      {to && <TransitGlyph type={drawing.card.transitType} />}
      {to && (
        <dl>
          <GoogleField drawing={drawing} field={to} />
        </dl>
      )}
    </div>
  );
}

function GoogleField({ drawing, field }: { drawing: CardDrawing; field: CardField }) {
  return (
    <div class="card-field">
      <dt>
        <bdi>{translated(field.label, drawing.reading)}</bdi>
      </dt>
      <dd>
        <bdi>{fieldText(field, drawing.reading)}</bdi>
      </dd>
    </div>
  );
}

function GoogleCode({ drawing }: { drawing: CardDrawing }) {
  return (
    <div class="card-foot">
      <CodeAndState drawing={drawing} />
    </div>
  );
}

/** A row of the layout, whoever wrote it: each item names the fields that it may show. */
type Item = { firstValue?: { fields: { fieldPath: string }[] } | null };
type Row = Record<string, Record<string, Item | undefined> | null | undefined>;

/**
 * The rows of fields on the front of a card in Google Wallet: what its class says, so that the picture shows what
 * Google gets. Paths to what the picture does not know are left out.
 */
function googleRows(card: Card): CardField[][] {
  const fields = fieldsByPath(card);
  const rows: Row[] = classTemplateInfo(card)?.cardTemplateOverride?.cardRowTemplateInfos ?? [];
  return rows
    .map((row) => {
      const items = Object.values(row).flatMap((places) => Object.values(places ?? {}));
      const shown = items.flatMap((item) => {
        const found = item?.firstValue?.fields.map(({ fieldPath }) => fields.get(fieldPath)) ?? [];
        // Google shows the first one that has a value.
        return found.find((field) => field !== undefined && field.value !== '') ?? [];
      });
      return shown;
    })
    .filter((row) => row.length > 0);
}
