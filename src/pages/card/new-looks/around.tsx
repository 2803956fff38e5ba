import type { Card, CardField } from '../../../domain/passes/card/card.ts';
import { ACTION_TYPES, EVENT_GUIDE } from '../../../domain/templates/apple/members.ts';
import { posterFields } from '../../../wallets/apple/fields.ts';
import { wordsIn } from '../../language.ts';
import type { CardDrawing, WalletLook } from '../drawing.ts';
import { fieldText, translated } from '../field-text.ts';
import { Facts, Image, walletWords } from './parts.tsx';
import { dayText, timeText } from './tag-texts.ts';

/** What the wallet shows below a pass, in the colors of the phone. */
export function BelowPass({ drawing, look }: { drawing: CardDrawing; look: WalletLook }) {
  const words = walletWords(drawing);
  return (
    <div class="around">
      {drawing.card.nfc?.message && look !== 'google' && (
        <p class="around-near" lang={words.lang}>
          <NearGlyph />
          {words.holdNear}
        </p>
      )}
      {look === 'posterEventTicket' && <EventTiles drawing={drawing} />}
      {look === 'semanticBoardingPass' && <FlightTiles drawing={drawing} />}
      {(look === 'apple' || look === 'posterGeneric') && <FeaturedActions drawing={drawing} />}
      {look === 'posterGeneric' && (
        <Additional drawing={drawing} fields={posterFields(drawing.card, 'additionalInfoFields')} />
      )}
    </div>
  );
}

function Tile({ text, lang }: { text: string; lang: string }) {
  return (
    <li class="around-tile" lang={lang}>
      {text}
    </li>
  );
}

function EventTiles({ drawing }: { drawing: CardDrawing }) {
  const { card, extras } = drawing;
  const { tags, keys } = extras;
  const words = walletWords(drawing);
  const hasGuide = Object.keys(EVENT_GUIDE).some((name) => keys[name] !== undefined) || card.images.venueMap;
  const hasPlace = tags.venueLocation ?? tags.venuePlaceID ?? keys.directionsInformationURL;
  return (
    <>
      <ul class="around-tiles">
        {hasGuide && <Tile text={words.eventGuide} lang={words.lang} />}
        {hasPlace !== undefined && <Tile text={words.directions} lang={words.lang} />}
      </ul>
      <Image drawing={drawing} show="venueMap" as="around-map" />
      <Additional drawing={drawing} fields={card.apple?.additionalInfoFields ?? []} />
      <Upcoming drawing={drawing} events={keys.upcomingPassInformation ? (card.apple?.upcoming ?? []) : []} />
    </>
  );
}

function Additional({ drawing, fields }: { drawing: CardDrawing; fields: CardField[] }) {
  const { reading } = drawing;
  const words = walletWords(drawing);
  const facts = fields.map((field) => ({
    label: translated(field.label, reading),
    value: fieldText(field, reading),
  }));
  if (facts.every(({ value }) => value === '')) return null;
  return (
    <section class="around-panel">
      <p class="around-title" lang={words.lang}>
        {words.additional}
      </p>
      <Facts facts={facts} as="around-facts" />
    </section>
  );
}

interface DateInformation {
  date?: string;
  timeZone?: string;
  ignoreTimeComponents?: boolean;
  isAllDay?: boolean;
  isUnannounced?: boolean;
  isUndetermined?: boolean;
}

function Upcoming({ drawing, events }: { drawing: CardDrawing; events: NonNullable<Card['apple']>['upcoming'] }) {
  const { reading } = drawing;
  const words = walletWords(drawing);
  if (events.length === 0) return null;
  const when = (info: DateInformation) => {
    if (info.isUnannounced || info.isUndetermined) return words.unannounced;
    const time = info.isAllDay || info.ignoreTimeComponents ? '' : timeText(info.date, reading, info.timeZone);
    return [dayText(info.date, reading, info.timeZone), time].filter(Boolean).join(', ');
  };
  return (
    <section class="around-panel">
      <p class="around-title" lang={words.lang}>
        {words.upcoming}
      </p>
      <ul class="around-events">
        {events.map(({ members }) => (
          <li class={members.isActive === false ? 'inactive' : undefined}>
            <bdi>{translated(String(members.name), reading)}</bdi>
            <small>{when((members.dateInformation ?? {}) as DateInformation)}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}

function FlightTiles({ drawing }: { drawing: CardDrawing }) {
  const words = walletWords(drawing);
  const hasServices = Object.keys(drawing.extras.keys).some(
    (name) => name !== 'appLaunchURL' && /URL$|^transitProvider|^businessChat/.test(name) && drawing.extras.keys[name],
  );
  return (
    <ul class="around-tiles">
      <Tile text={words.share} lang={words.lang} />
      {hasServices && <Tile text={words.services} lang={words.lang} />}
    </ul>
  );
}

function FeaturedActions({ drawing }: { drawing: CardDrawing }) {
  const actions = (drawing.extras.keys.featuredActions ?? []) as { type: ActionType }[];
  if (actions.length === 0) return null;
  const words = wordsIn(ACTION_WORDS, drawing.language);
  const { lang } = walletWords(drawing);
  return (
    <ul class="around-tiles">
      {actions.map(({ type }) => (
        <Tile text={words[type]} lang={lang} />
      ))}
    </ul>
  );
}

/** The contactless symbol. */
function NearGlyph() {
  return (
    <svg class="glyph" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      <path
        d="M6 9.5a6 6 0 0 1 0 5M9.5 7a10.5 10.5 0 0 1 0 10M13 4.5a15 15 0 0 1 0 15M16.5 2.5a19.5 19.5 0 0 1 0 19"
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
      />
    </svg>
  );
}

type ActionType = (typeof ACTION_TYPES)[number];

/** Titles of Wallet's featured actions, in our own wording: Apple publishes only the types. */
export const ACTION_WORDS: Record<string, Record<ActionType, string>> & { en: Record<ActionType, string> } = {
  en: actions(
    'View Schedule|Watch Trailer|Listen to Music|Call|Go to Location|Add to Balance|Order|Shop|View Membership Benefits|Book Appointment|Book a Car|Book a Flight|Book a Stay|View Offers & Rewards',
  ),
  de: actions(
    'Zeitplan ansehen|Trailer ansehen|Musik hören|Anrufen|Zum Ort|Guthaben aufladen|Bestellen|Einkaufen|Vorteile ansehen|Termin buchen|Auto buchen|Flug buchen|Unterkunft buchen|Angebote ansehen',
  ),
  fr: actions(
    'Voir le programme|Voir la bande-annonce|Écouter|Appeler|Aller au lieu|Recharger|Commander|Acheter|Voir les avantages|Prendre rendez-vous|Réserver une voiture|Réserver un vol|Réserver un séjour|Voir les offres',
  ),
  es: actions(
    'Ver el programa|Ver el tráiler|Escuchar música|Llamar|Ir al lugar|Añadir saldo|Pedir|Comprar|Ver ventajas|Pedir cita|Reservar coche|Reservar vuelo|Reservar estancia|Ver ofertas',
  ),
  it: actions(
    'Vedi programma|Guarda il trailer|Ascolta|Chiama|Vai al luogo|Ricarica|Ordina|Acquista|Vedi i vantaggi|Prenota appuntamento|Prenota auto|Prenota volo|Prenota soggiorno|Vedi offerte',
  ),
  nl: actions(
    'Bekijk programma|Bekijk trailer|Luister|Bel|Naar de locatie|Saldo opwaarderen|Bestel|Winkelen|Bekijk voordelen|Maak afspraak|Boek auto|Boek vlucht|Boek verblijf|Bekijk aanbiedingen',
  ),
};

/** Returns the titles of a language, listed in the order of `ACTION_TYPES`. */
function actions(row: string): Record<ActionType, string> {
  const words = row.split('|');
  return Object.assign({}, ...ACTION_TYPES.map((type, i) => ({ [type]: words[i] })));
}
