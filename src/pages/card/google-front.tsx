import type { CardField } from '../../domain/passes/card/card.ts';
import { googleKindOf } from '../../domain/passes/google/google-object.ts';
import { classTemplateInfo } from '../../wallets/google/layout.ts';
import { CodeAndState } from './code-and-state.tsx';
import type { CardDrawing } from './drawing.ts';
import { fieldText, translated } from './field-text.ts';
import { TransitGlyph } from './glyphs.tsx';
import { FLIGHT_ROWS, fieldsByPath } from './google-fields.ts';
import { Image, LabeledValue } from './new-looks/parts.tsx';
import { dayText, tagText } from './new-looks/tag-texts.ts';

/** The front of a pass in Google Wallet: a round logo, a title, rows, the code, and a picture at the end. */
export function GoogleFront({ drawing }: { drawing: CardDrawing }) {
  const { card, state } = drawing;
  return (
    <div class={`card-front google-front ${state === 'ok' ? '' : 'invalid'}`}>
      <GoogleHeader drawing={drawing} />
      <GoogleTitle drawing={drawing} />
      {googleRows(drawing).map((fields) => (
        <dl class="google-row">
          {fields.map((field) => (
            <GoogleField drawing={drawing} field={field} />
          ))}
        </dl>
      ))}
      <GoogleCode drawing={drawing} />
      <Image drawing={drawing} show={card.images.strip ? 'strip' : 'background'} as="google-hero" />
    </div>
  );
}

function GoogleHeader({ drawing }: { drawing: CardDrawing }) {
  const { card, reading } = drawing;
  const role = card.images.logo ? 'logo' : 'icon';
  const name = googleKindOf(card) === 'generic' ? card.logoText || card.organizationName : card.organizationName;
  const wide = card.google?.wideLogo;
  if (wide) {
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
        {card.images[role] ? (
          <Image drawing={drawing} show={role} as="google-logo-image" />
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
      return <GoogleFlight drawing={drawing} />;
    case 'transit':
      return <GoogleRoute drawing={drawing} from={first} to={second} />;
    case 'offer':
      return <Title drawing={drawing} text={card.description} />;
    case 'loyalty':
    case 'giftCard':
      return <Title drawing={drawing} text={card.logoText || card.organizationName} />;
    case 'eventTicket':
      return (
        <>
          {first ? <FieldTitle drawing={drawing} field={first} /> : <Title drawing={drawing} text={card.description} />}
          {card.google?.venue?.name && (
            <p class="google-venue">{translated(card.google.venue.name, drawing.reading)}</p>
          )}
        </>
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

function FieldTitle({ drawing, field, withLabel }: { drawing: CardDrawing; field: CardField; withLabel?: boolean }) {
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

/** Airline, flight number, cities and airports. Google takes them from the flight, not from the fields. */
function GoogleFlight({ drawing }: { drawing: CardDrawing }) {
  const { card, reading, extras } = drawing;
  const { flight } = card;
  if (!flight) return null;
  const end = (city: string, code: string) => (
    <div>
      <p class="google-city">{tagText(extras.tags, `${city}CityName`, reading)}</p>
      <p class="google-airport">{code}</p>
    </div>
  );
  const day = dayText(`${flight.localScheduledDepartureTime}:00Z`, reading, 'UTC');
  return (
    <>
      <p class="google-subheader">
        {[`${flight.carrierCode} ${flight.flightNumber}`, day].filter(Boolean).join(' · ')}
      </p>
      <div class="google-route">
        {end('departure', flight.originAirportCode)}
        <TransitGlyph type={card.transitType} />
        {end('destination', flight.destinationAirportCode)}
      </div>
    </>
  );
}

function GoogleField({ drawing, field }: { drawing: CardDrawing; field: CardField }) {
  return <LabeledValue label={translated(field.label, drawing.reading)} value={fieldText(field, drawing.reading)} />;
}

/** The code, with the fields that the layout puts above and below it. */
function GoogleCode({ drawing }: { drawing: CardDrawing }) {
  const details = drawing.card.google?.classTemplateInfo?.cardBarcodeSectionDetails;
  const fields = fieldsByPath(drawing);
  const detail = (at: { fieldSelector: Selector } | null | undefined) => {
    const field = at && firstOf(at.fieldSelector, fields);
    return field && <GoogleField drawing={drawing} field={field} />;
  };
  const above = [detail(details?.firstTopDetail), detail(details?.secondTopDetail)].filter(Boolean);
  const below = detail(details?.firstBottomDetail);
  return (
    <div class="card-foot">
      {above.length > 0 && <dl class="google-row around-code">{above}</dl>}
      <CodeAndState drawing={drawing} />
      {below && <dl class="google-row around-code below">{below}</dl>}
    </div>
  );
}

interface Selector {
  fields: { fieldPath: string }[];
}

/** Returns the first field with a value. Google shows that one. */
function firstOf(selector: Selector, fields: Map<string, CardField>): CardField | undefined {
  return selector.fields
    .map(({ fieldPath }) => fields.get(fieldPath))
    .find((field) => field !== undefined && field.value !== '');
}

/** A row of the layout, of the template or by default: each item names the fields that it can show. */
type Item = { firstValue?: Selector | null };
type Row = Record<string, Record<string, Item | undefined> | null | undefined>;

/**
 * Returns the rows of fields on the front in Google Wallet. They come from the class, so the picture shows what Google
 * gets. Paths that the picture doesn't support are left out.
 */
function googleRows(drawing: CardDrawing): CardField[][] {
  const { card } = drawing;
  const fields = fieldsByPath(drawing);
  const rows: Row[] | undefined = classTemplateInfo(card)?.cardTemplateOverride?.cardRowTemplateInfos;
  const byDefault = googleKindOf(card) === 'flight' ? FLIGHT_ROWS : [];
  const selectors = rows
    ? rows.map((row) =>
        Object.values(row)
          .flatMap((places) => Object.values(places ?? {}))
          .flatMap((item) => item?.firstValue ?? []),
      )
    : byDefault.map((paths) => paths.map((fieldPath) => ({ fields: [{ fieldPath }] })));
  return selectors
    .map((row) => row.flatMap((selector) => firstOf(selector, fields) ?? []))
    .filter((row) => row.length > 0);
}
