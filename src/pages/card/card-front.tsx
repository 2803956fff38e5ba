import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { CodeAndState } from './code-and-state.tsx';
import type { CardDrawing } from './drawing.ts';
import { fieldText, translated } from './field-text.ts';
import { TransitGlyph } from './glyphs.tsx';
import { Image, LabeledValue } from './new-looks/parts.tsx';
import { classes, headerClass, LOGO_WORD_MAX, longestWord, routeClass, rowClass } from './text-sizes.ts';

/** The front of a pass, arranged by its style. */
export function CardFront({ drawing }: { drawing: CardDrawing }) {
  const layout = cardLayout(drawing.card);
  const { background } = drawing.card.images;
  const blurred = layout.style === 'eventTicket' && layout.primary === 'plain' && background !== undefined;
  return (
    <div class={classes('card-front', layout.style, blurred && 'has-background', drawing.state !== 'ok' && 'invalid')}>
      {blurred && <Image drawing={drawing} show="background" as="card-background" />}
      <div class="card-top">
        <CardHeader drawing={drawing} fields={layout.headerFields} />
        <Primary drawing={drawing} layout={layout} />
      </div>
      <div class="card-rest">
        {rowsBelow(drawing.card, layout).map((fields) => (
          <Fields drawing={drawing} fields={fields} place={rowClass(fields, drawing)} />
        ))}
        <CardFoot drawing={drawing} layout={layout} />
      </div>
    </div>
  );
}

function CardHeader({ drawing, fields }: { drawing: CardDrawing; fields: CardField[] }) {
  const { card, reading } = drawing;
  const logoText = card.logoText && translated(card.logoText, reading);
  return (
    <div class="card-header">
      <div class="card-brand">
        <Image drawing={drawing} show="logo" as="card-logo" alt={card.logoText ? '' : card.organizationName} />
        {logoText && (
          <span class={classes('card-logo-text', longestWord(logoText) > LOGO_WORD_MAX && 'breaks')}>{logoText}</span>
        )}
      </div>
      <Fields drawing={drawing} fields={fields} place={headerClass(fields, drawing)} />
    </div>
  );
}

function Primary({ drawing, layout }: { drawing: CardDrawing; layout: CardLayout }) {
  const { primaryFields: fields, style } = layout;
  if (layout.primary === 'route') return <Route drawing={drawing} fields={fields} />;
  if (layout.primary === 'strip') {
    return (
      <div class={classes('card-strip-area', drawing.card.images.strip !== undefined && 'has-strip')}>
        <Image drawing={drawing} show="strip" as="card-strip" />
        <Fields drawing={drawing} fields={fields} place="card-primary on-strip" />
      </div>
    );
  }
  const [beside] = rowsBeside(drawing.card, layout);
  return (
    <div class="card-plain-area">
      <div class="card-plain-fields">
        <Fields drawing={drawing} fields={fields} place={`card-primary ${style}`} />
        {beside && <Fields drawing={drawing} fields={beside} place={rowClass(beside, drawing)} />}
      </div>
      <Image drawing={drawing} show="thumbnail" as="card-thumbnail" />
    </div>
  );
}

/** Returns the rows beside the thumbnail: on an event ticket with a thumbnail, the first row. */
function rowsBeside(card: Card, layout: CardLayout): CardField[][] {
  const beside = layout.style === 'eventTicket' && layout.primary === 'plain' && card.images.thumbnail !== undefined;
  return beside ? layout.rows.slice(0, 1) : [];
}

const rowsBelow = (card: Card, layout: CardLayout): CardField[][] => layout.rows.slice(rowsBeside(card, layout).length);

function Route({ drawing, fields }: { drawing: CardDrawing; fields: CardField[] }) {
  const [from, to] = fields;
  if (!from) return null;
  return (
    <div class={routeClass(fields, drawing)}>
      <dl class="card-primary from">
        <Field drawing={drawing} field={from} />
      </dl>
      {to && <TransitGlyph type={drawing.card.transitType} />}
      {to && (
        <dl class="card-primary to">
          <Field drawing={drawing} field={to} />
        </dl>
      )}
    </div>
  );
}

function Fields({ drawing, fields, place }: { drawing: CardDrawing; fields: CardField[]; place: string }) {
  if (fields.length === 0) return null;
  return (
    <dl class={place}>
      {fields.map((field) => (
        <Field drawing={drawing} field={field} />
      ))}
    </dl>
  );
}

/** Lengths from which a value gets a smaller font, so that it stays on one line as in a wallet. */
const LONG_VALUE_CHARS = 14;
const LONGER_VALUE_CHARS = 24;

function Field({ drawing, field }: { drawing: CardDrawing; field: CardField }) {
  const text = fieldText(field, drawing.reading);
  const size = text.length >= LONGER_VALUE_CHARS ? 'longer' : text.length >= LONG_VALUE_CHARS ? 'long' : '';
  const alignment = field.alignment?.replace('PKTextAlignment', 'align-').toLowerCase() ?? '';
  return (
    <LabeledValue
      label={translated(field.label, drawing.reading)}
      value={text}
      as={classes('card-field', size, alignment)}
    />
  );
}

/** The footer image, the code, and the state of a pass that is no longer valid. */
function CardFoot({ drawing, layout }: { drawing: CardDrawing; layout: CardLayout }) {
  return (
    <div class="card-foot">
      {layout.style === 'boardingPass' && <Image drawing={drawing} show="footer" as="card-footer" />}
      <CodeAndState drawing={drawing} />
    </div>
  );
}

/** The five pass styles of both wallets. */
type CardStyle = 'boardingPass' | 'coupon' | 'eventTicket' | 'generic' | 'storeCard';

const HEADER_FIELDS_MAX = 3;
const ROW_FIELDS_MAX = 4;
const BOARDING_AUXILIARY_FIELDS_MAX = 5;

/** What the front shows and where. Wallets cut off items beyond these counts, so the picture does too. */
interface CardLayout {
  style: CardStyle;
  /** `strip`: primary field on the strip image; `route`: from and to; `plain`: primary field on the background. */
  primary: 'strip' | 'route' | 'plain';
  headerFields: CardField[];
  primaryFields: CardField[];
  /** Rows below the primary fields, from top to bottom. None is empty. */
  rows: CardField[][];
}

/**
 * Arranges a card as Apple Wallet does. Counts and order come from Apple's pass style pages and Wallet Developer Guide.
 */
function cardLayout(card: Card): CardLayout {
  const style = card.type === 'eventTicketBackground' ? 'eventTicket' : card.type;
  const { headerFields, primaryFields } = card.fields;
  return {
    style,
    primary: primaryPlace(card, style),
    headerFields: headerFields.slice(0, HEADER_FIELDS_MAX),
    primaryFields: primaryFields.slice(0, style === 'boardingPass' ? 2 : 1),
    rows: fieldRows(card, style).filter((row) => row.length > 0),
  };
}

function primaryPlace(card: Card, style: CardStyle): CardLayout['primary'] {
  if (style === 'boardingPass') return 'route';
  if (style === 'coupon' || style === 'storeCard') return 'strip';
  return style === 'eventTicket' && card.images.strip ? 'strip' : 'plain';
}

function fieldRows(card: Card, style: CardStyle): CardField[][] {
  const { secondaryFields: secondary, auxiliaryFields: auxiliary } = card.fields;
  const inOneRow = [[...secondary, ...auxiliary].slice(0, ROW_FIELDS_MAX)];
  switch (style) {
    case 'coupon':
    case 'storeCard':
      return inOneRow;
    case 'generic': {
      const square = card.barcode?.format === 'qr' || card.barcode?.format === 'aztec';
      return square ? inOneRow : [secondary.slice(0, ROW_FIELDS_MAX), auxiliary.slice(0, ROW_FIELDS_MAX)];
    }
    case 'boardingPass':
      return [auxiliary.slice(0, BOARDING_AUXILIARY_FIELDS_MAX), secondary.slice(0, ROW_FIELDS_MAX)];
    case 'eventTicket': {
      const row = (number: 0 | 1) => auxiliary.filter((field) => (field.row ?? 0) === number).slice(0, ROW_FIELDS_MAX);
      return [secondary.slice(0, ROW_FIELDS_MAX), row(0), row(1)];
    }
  }
}
