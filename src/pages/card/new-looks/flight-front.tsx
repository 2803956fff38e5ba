import type { SemanticTags } from '../../../wallets/apple/semantics.ts';
import { CodeAndState } from '../code-and-state.tsx';
import type { CardDrawing } from '../drawing.ts';
import { type Reading, translated } from '../field-text.ts';
import { TransitGlyph } from '../glyphs.tsx';
import { classes } from '../text-sizes.ts';
import { type Fact, Facts, Image, walletWords } from './parts.tsx';
import { dayText, durationText, minutesBetween, tagText, timeText } from './tag-texts.ts';

/** The front of an airline boarding pass since iOS 26. Wallet lays out the semantic tags itself. */
export function FlightFront({ drawing }: { drawing: CardDrawing }) {
  const { card, reading, extras } = drawing;
  const { tags } = extras;
  return (
    <div class={classes('card-front flight-front', drawing.state !== 'ok' && 'invalid')}>
      <div class="flight-head">
        <FlightBrand drawing={drawing} />
        <p class="flight-number">
          <strong>{flightCode(tags, reading)}</strong>
          <span class="flight-day">{dayText(tags.originalDepartureDate, reading, tags.departureLocationTimeZone)}</span>
        </p>
      </div>
      <div class="flight-route">
        <End drawing={drawing} end="departure" />
        <div class="flight-line">
          <TransitGlyph type={card.transitType} />
          <span>{durationText(departure(tags), arrival(tags), reading)}</span>
        </div>
        <End drawing={drawing} end="destination" />
      </div>
      <Status drawing={drawing} />
      <Facts facts={boardingFacts(drawing)} as="flight-facts" />
      <Passenger drawing={drawing} />
      <div class="card-foot">
        <Image drawing={drawing} show="footer" as="card-footer" />
        <CodeAndState drawing={drawing} />
      </div>
    </div>
  );
}

/** The logo with the airline's name beside it. A wide logo already contains the name. */
function FlightBrand({ drawing }: { drawing: CardDrawing }) {
  const { card, reading, extras } = drawing;
  const logo = card.images.primaryLogo;
  const isWide = logo !== undefined && logo.width > logo.height * 1.5;
  const name = card.logoText || tagText(extras.tags, 'transitProvider', reading) || card.organizationName;
  return (
    <div class="poster-brand">
      <Image drawing={drawing} show="primaryLogo" as="poster-logo" alt={isWide ? translated(name, reading) : ''} />
      {!isWide && <bdi>{translated(name, reading)}</bdi>}
    </div>
  );
}

/** Returns airline and flight number, such as `XA 418`. */
export function flightCode(tags: SemanticTags, reading: Reading): string {
  return [tagText(tags, 'airlineCode', reading), tagText(tags, 'flightNumber', reading)].filter(Boolean).join(' ');
}

const departure = (tags: SemanticTags) => tags.currentDepartureDate ?? tags.originalDepartureDate;
const arrival = (tags: SemanticTags) => tags.currentArrivalDate ?? tags.originalArrivalDate;

/** City, code and time of one end. A changed time is shown beside the original one. */
function End({ drawing, end }: { drawing: CardDrawing; end: 'departure' | 'destination' }) {
  const { reading, extras } = drawing;
  const { tags } = extras;
  const zone = tags[`${end}LocationTimeZone`];
  const [planned, now] =
    end === 'departure' ? [tags.originalDepartureDate, departure(tags)] : [tags.originalArrivalDate, arrival(tags)];
  const isMoved = minutesBetween(planned, now) !== 0;
  return (
    <div class={`flight-end ${end}`}>
      <p class="flight-city">
        <bdi>{tagText(tags, `${end}CityName`, reading)}</bdi>
      </p>
      <p class="flight-airport">{tagText(tags, `${end}AirportCode`, reading)}</p>
      <p class="flight-time">
        {isMoved && <s>{timeText(planned, reading, zone)}</s>} {timeText(now, reading, zone)}
      </p>
    </div>
  );
}

/** The flight status. On a phone, Wallet's flight service updates it; here it comes from the pass. */
function Status({ drawing }: { drawing: CardDrawing }) {
  const { reading, extras } = drawing;
  const { tags } = extras;
  const words = walletWords(drawing);
  const given = tagText(tags, 'transitStatus', reading);
  const late = minutesBetween(tags.originalDepartureDate, departure(tags));
  const state = late > 0 ? 'delayed' : late < 0 ? 'early' : 'onTime';
  const by = late === 0 ? '' : ` · ${durationText(new Date(0).toISOString(), minutes(Math.abs(late)), reading)}`;
  return (
    <p class={`flight-status ${state}`} lang={given ? undefined : words.lang}>
      {given || `${words[state]}${by}`}
    </p>
  );
}

const minutes = (count: number) => new Date(count * 60_000).toISOString();

function boardingFacts(drawing: CardDrawing): Fact[] {
  const { reading, extras } = drawing;
  const { tags } = extras;
  const words = walletWords(drawing);
  const text = (name: string) => tagText(tags, name, reading);
  const seats = ((tags.seats ?? []) as { seatNumber?: string }[]).flatMap(({ seatNumber }) => seatNumber ?? []);
  const boards = timeText(boardingDate(tags), reading, tags.departureLocationTimeZone) ?? '';
  const facts: [string, string][] = [
    [words.terminal, text('departureTerminal')],
    [words.gate, text('departureGate')],
    [words.boarding, boards],
    [words.group, text('boardingGroup')],
    [words.zone, text('boardingZone')],
    [words.seat, seats.join(', ')],
    [words.sequence, text('boardingSequenceNumber')],
  ];
  return facts.map(([label, value]) => ({ label, value, lang: words.lang }));
}

/** If the departure moves, Wallet keeps the time between boarding and departure (Apple, Wallet Passes). */
function boardingDate(tags: SemanticTags): unknown {
  if (tags.currentBoardingDate) return tags.currentBoardingDate;
  const { originalBoardingDate: planned } = tags;
  const millis = typeof planned === 'string' ? Date.parse(planned) : Number.NaN;
  if (Number.isNaN(millis)) return undefined;
  const late = minutesBetween(tags.originalDepartureDate, departure(tags));
  return new Date(millis + late * 60_000).toISOString();
}

/** Tags that Wallet shows as badges. */
const BADGES = ['ticketFareClass', 'priorityStatus', 'membershipProgramStatus'];

/** Program names, which are the same in all languages. */
const SECURITY: Record<string, string> = {
  PKTransitSecurityProgramTSAPreCheck: 'TSA PreCheck',
  PKTransitSecurityProgramTSAPreCheckTouchlessID: 'TSA PreCheck Touchless ID',
  PKTransitSecurityProgramGlobalEntry: 'Global Entry',
  PKTransitSecurityProgramCLEAR: 'CLEAR',
};

/** Returns the programs that the passenger is eligible for and one of the airports has (Apple, Wallet Passes). */
function security(tags: SemanticTags): string[] {
  const list = (name: string) => (Array.isArray(tags[name]) ? (tags[name] as string[]) : []);
  const ends = ['Location', 'Airport'].flatMap((place) => [
    ...list(`departure${place}SecurityPrograms`),
    ...list(`destination${place}SecurityPrograms`),
  ]);
  return list('passengerEligibleSecurityPrograms').flatMap((program) =>
    ends.includes(program) ? (SECURITY[program] ?? []) : [],
  );
}

function Passenger({ drawing }: { drawing: CardDrawing }) {
  const { reading, extras } = drawing;
  const { tags } = extras;
  const words = walletWords(drawing);
  const { givenName, familyName } = tags.passengerName ?? {};
  const documents =
    tags.internationalDocumentsAreVerified === true ? 'internationalDocumentsVerifiedDeclarationName' : '';
  const badges = [...[...BADGES, documents].map((name) => tagText(tags, name, reading)), ...security(tags)].filter(
    Boolean,
  );
  const name = [givenName, familyName].filter(Boolean).join(' ');
  return (
    <div class="flight-passenger">
      <Facts facts={[{ label: words.passenger, value: name, lang: words.lang }]} as="flight-name" />
      {badges.length > 0 && (
        <ul class="flight-badges">
          {badges.map((badge) => (
            <li>{badge}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
