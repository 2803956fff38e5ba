import type { Child } from 'hono/jsx';
import type { CardField } from '../../../domain/passes/card/card.ts';
import { POSTER_LIMITS } from '../../../domain/templates/apple/styles.ts';
import { posterFields } from '../../../wallets/apple/fields.ts';
import { CodeAndState } from '../code-and-state.tsx';
import type { CardDrawing } from '../drawing.ts';
import { fieldText, translated } from '../field-text.ts';
import { classes } from '../text-sizes.ts';
import { type Fact, Facts, Image, walletWords } from './parts.tsx';
import { daysText, dayText, tagText, tagTexts, timeText } from './tag-texts.ts';

/** A poster: full-bleed artwork, a head, texts on the artwork, and a strip over its lower edge. */
function Poster(props: { drawing: CardDrawing; kind: 'event' | 'generic'; head: Child; body: Child; footer: Child }) {
  const { drawing, kind, head, body, footer } = props;
  const { images } = drawing.card;
  const { suppressHeaderDarkening, eventLogoText } = drawing.extras.keys;
  const logoText = typeof eventLogoText === 'string' ? translated(eventLogoText, drawing.reading) : '';
  return (
    <div
      class={classes(
        `card-front poster-front ${kind}`,
        suppressHeaderDarkening === true && 'undarkened',
        drawing.state !== 'ok' && 'invalid',
      )}
    >
      <Image drawing={drawing} show={images.artwork ? 'artwork' : 'background'} as="poster-artwork" />
      <div class="poster-head">
        <div class="poster-brand">
          <Image drawing={drawing} show="primaryLogo" as="poster-logo" alt={drawing.card.organizationName} />
          {logoText && <bdi>{logoText}</bdi>}
        </div>
        {head}
      </div>
      <div class="poster-body">{body}</div>
      <div class="poster-footer">{footer}</div>
    </div>
  );
}

/** The front of an event ticket since iOS 18. Wallet lays out the semantic tags itself. */
export function PosterEventFront({ drawing }: { drawing: CardDrawing }) {
  const { reading, extras } = drawing;
  const text = (name: string) => tagText(extras.tags, name, reading);
  const performers = tagTexts(extras.tags, 'performerNames', reading).filter((name) => name !== text('eventName'));
  const admission = text('admissionLevel') || text('additionalTicketAttributes');
  return (
    <Poster
      drawing={drawing}
      kind="event"
      head={<EventDate drawing={drawing} />}
      body={
        <>
          <div class="poster-code">
            <CodeAndState drawing={drawing} />
          </div>
          <p class="poster-title">
            <bdi>{text('eventName')}</bdi>
          </p>
          {performers.length > 0 && <p class="poster-performers">{performers.join(', ')}</p>}
        </>
      }
      footer={
        <>
          {admission && <p class="poster-admission">{admission}</p>}
          <Facts facts={seatFacts(drawing)} as="poster-seats" />
          <div class="poster-last">
            <p class="poster-place">
              <bdi>{text('venueName')}</bdi>
              <small>{[text('venueRoom'), text('venueRegionName')].filter(Boolean).join(' · ')}</small>
            </p>
            <Teams drawing={drawing} />
          </div>
        </>
      }
    />
  );
}

/** Day and time, at the top so that they are visible in a stack of passes. */
function EventDate({ drawing }: { drawing: CardDrawing }) {
  const { top, below } = eventDate(drawing);
  return (
    <p class="poster-date">
      {top && <span>{top}</span>}
      {below && <span class="poster-time">{below}</span>}
    </p>
  );
}

interface StartInfo {
  date?: string;
  ignoreTimeComponents?: boolean;
  timeZone?: string;
  unannounced?: boolean;
  undetermined?: boolean;
}

type Interval = { date?: string; relevantDate?: string; startDate?: string; endDate?: string };

function eventDate(drawing: CardDrawing): { top?: string; below?: string } {
  const { card, reading, extras } = drawing;
  const { eventStartDate, eventStartDateInfo } = extras.tags;
  const info = (eventStartDateInfo ?? {}) as StartInfo;
  if (info.unannounced || info.undetermined) return { top: walletWords(drawing).unannounced };
  const intervals = ((card.apple?.members.relevantDates ?? []) as Interval[]).filter(({ startDate }) => startDate);
  // Tickets for several days show the first and the last day.
  if (intervals.length > 1) return { top: daysText(intervals[0]!.startDate, intervals.at(-1)!.endDate, reading) };
  const [interval] = intervals;
  const relevant = card.relevantAt === undefined ? undefined : new Date(card.relevantAt).toISOString();
  const start = info.date ?? eventStartDate ?? relevant ?? interval?.startDate;
  const below = info.ignoreTimeComponents ? undefined : timeText(start, reading, info.timeZone);
  return { top: dayText(start, reading, info.timeZone), below };
}

type Seat = Partial<Record<'seatSection' | 'seatRow' | 'seatNumber' | 'seatLevel', string>>;

const ENTRANCES = ['venueEntranceGate', 'venueEntranceDoor', 'venueEntrancePortal', 'venueEntrance'];

function seatFacts(drawing: CardDrawing): Fact[] {
  const { reading, extras } = drawing;
  const words = walletWords(drawing);
  const seats = (extras.tags.seats ?? []) as Seat[];
  const all = (part: keyof Seat) => {
    const values = seats.flatMap((seat) => (seat[part] ? translated(seat[part], reading) : []));
    return [...new Set(values)].join(', ');
  };
  const entrance = ENTRANCES.map((name) => tagText(extras.tags, name, reading)).find(Boolean) ?? '';
  const facts: [string, string][] = [
    [words.entrance, entrance],
    [words.level, all('seatLevel')],
    [words.section, all('seatSection')],
    [words.row, all('seatRow')],
    [words.seat, all('seatNumber')],
  ];
  return facts.map(([label, value]) => ({ label, value, lang: words.lang }));
}

/** The teams of a match, or the second logo. */
function Teams({ drawing }: { drawing: CardDrawing }) {
  const { reading, extras } = drawing;
  const team = (side: string) => tagText(extras.tags, `${side}TeamAbbreviation`, reading);
  if (team('home') && team('away')) {
    return (
      <p class="poster-teams">
        <bdi>{team('away')}</bdi> <span aria-hidden="true">@</span> <bdi>{team('home')}</bdi>
      </p>
    );
  }
  return <Image drawing={drawing} show="secondaryLogo" as="poster-second-logo" />;
}

/** The front of any other pass with a poster, since iOS 27: its fields, the code, and the strip with the category. */
export function PosterGenericFront({ drawing }: { drawing: CardDrawing }) {
  const { card, reading } = drawing;
  const facts = (list: 'headerFields' | 'primaryFields' | 'footerFields') =>
    posterFields(card, list)
      .slice(0, POSTER_LIMITS[list])
      .map((field: CardField) => ({ label: translated(field.label, reading), value: fieldText(field, reading) }));
  return (
    <Poster
      drawing={drawing}
      kind="generic"
      head={<Facts facts={facts('headerFields')} as="poster-header" />}
      body={
        <div class="poster-code">
          <CodeAndState drawing={drawing} />
        </div>
      }
      footer={
        <>
          <Facts facts={facts('primaryFields')} as="poster-primary" />
          <Facts facts={facts('footerFields')} as="poster-categories" />
        </>
      }
    />
  );
}
