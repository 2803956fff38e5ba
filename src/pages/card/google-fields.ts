import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { momentOf } from '../../domain/templates/google/moment.ts';
import {
  balanceField,
  GIFT_CARD_BALANCE_PATH,
  LOYALTY_BALANCE_PATH,
  pathOfModule,
  textModules,
} from '../../wallets/google/layout.ts';
import type { CardDrawing } from './drawing.ts';
import { walletWords } from './new-looks/parts.tsx';
import type { WalletWords } from './new-looks/wallet-words.ts';

/**
 * Returns fields by the paths that Google layouts refer to them by. Google's own labels are in the visitor's language.
 */
export function fieldsByPath({ card, ...drawing }: CardDrawing): Map<string, CardField> {
  const words = walletWords({ card, ...drawing });
  const fields = new Map(textModules(card).map(({ id, field }) => [pathOfModule(id), field]));
  const text = (path: string, label: string, value: string | null | undefined) =>
    fields.set(path, { key: path, type: 'text', label, value: value ?? '' });
  const moment = (path: string, label: string, millis: number | undefined) => {
    if (millis === undefined) return;
    const value = new Date(millis).toISOString();
    const [dateStyle, timeStyle] = ['PKDateStyleMedium', 'PKDateStyleShort'];
    fields.set(path, { key: path, type: 'date', label, value, dateStyle, timeStyle });
  };
  const { textModulesData, seatInfo, venue, dateTime } = card.google ?? {};
  for (const { id, header, body } of textModulesData ?? []) if (id) text(pathOfModule(id), header ?? '', body);
  for (const part of ['section', 'row', 'seat', 'gate'] as const) {
    text(`object.seatInfo.${part}`, words[part], seatInfo?.[part]);
  }
  text('class.venue.name', words.venue, venue?.name);
  text('class.venue.address', words.venue, venue?.address);
  const millis = (value: string | null | undefined) => (value ? momentOf(value, card.timezone) : undefined);
  moment('class.dateTime.start', words.start, millis(dateTime?.start) ?? card.relevantAt);
  moment('class.dateTime.doorsOpen', words.doorsOpen, millis(dateTime?.doorsOpen));
  const [loyalty] = card.fields.primaryFields;
  if (loyalty) fields.set(LOYALTY_BALANCE_PATH, loyalty);
  for (const field of balanceField(card)) fields.set(GIFT_CARD_BALANCE_PATH, field);
  for (const [path, field] of flightFields(card, words)) fields.set(path, field);
  return fields;
}

/** Rows of Google's default boarding pass, for templates without a layout of their own. */
export const FLIGHT_ROWS = [
  ['class.origin.terminal', 'class.origin.gate', 'class.localBoardingDateTime'],
  ['object.passengerName', 'object.boardingAndSeatingInfo.boardingGroup', 'object.boardingAndSeatingInfo.seatNumber'],
];

function flightFields({ flight }: Card, words: WalletWords): [path: string, field: CardField][] {
  if (!flight) return [];
  const texts: [path: string, label: string, value: string | null | undefined][] = [
    ['class.origin.terminal', words.terminal, flight.originAirportTerminal],
    ['class.origin.gate', words.gate, flight.originAirportGate],
    ['class.destination.terminal', words.terminal, flight.destinationAirportTerminal],
    ['class.destination.gate', words.gate, flight.destinationAirportGate],
    ['object.passengerName', words.passenger, flight.passengerName],
    ['object.boardingAndSeatingInfo.boardingGroup', words.group, flight.boardingGroup],
    ['object.boardingAndSeatingInfo.seatNumber', words.seat, flight.seatNumber],
    ['object.boardingAndSeatingInfo.sequenceNumber', words.sequence, flight.sequenceNumber],
  ];
  const fields = texts.map(([path, label, value]): [string, CardField] => [
    path,
    { key: path, type: 'text', label, value: value ?? '' },
  ]);
  // The airport's local time, regardless of its time zone.
  const at = flight.localBoardingDateTime;
  const times: CardField = { key: 'boarding', type: 'date', label: words.boarding, value: at ? `${at}:00Z` : '' };
  const shown = { ...times, ignoresTimezone: true, dateStyle: 'PKDateStyleNone', timeStyle: 'PKDateStyleShort' };
  return [...fields, ['class.localBoardingDateTime', shown]];
}

/** Returns what Google Wallet lists below the front: the texts without a place of their own, and the links. */
export function googleDetails(card: Card): { fields: CardField[]; links: Card['links'] } {
  const { textModulesData, valueAddedModuleData, linksModuleData } = card.google ?? {};
  const text = (label: string, value: string): CardField => ({ key: label, type: 'text', label, value });
  const offers = valueAddedModuleData ?? [];
  return {
    fields: [
      ...textModules(card).map(({ field }) => field),
      ...(textModulesData ?? []).map(({ header, body }) => text(header ?? '', body)),
      ...offers.map(({ header, body }) => text(header, body ?? '')),
    ],
    links: [
      ...card.links,
      ...(linksModuleData?.uris ?? []).map(({ uri, description }) => ({ label: description ?? '', url: uri })),
      ...offers.flatMap(({ header, uri }) => (uri ? [{ label: header, url: uri }] : [])),
    ],
  };
}
