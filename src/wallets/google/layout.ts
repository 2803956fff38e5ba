import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { googleKindOf } from '../../domain/passes/google/google-object.ts';
import { slicesOf } from '../../platform/chunks.ts';

/** "At most three rows are allowed", with one to three items each (Wallet API, `CardTemplateOverride`). */
const ROWS_MAX = 3;
const ROW_ITEMS_MAX = 3;

export const LOYALTY_BALANCE_PATH = 'object.loyaltyPoints.balance';
export const GIFT_CARD_BALANCE_PATH = 'object.balance';

/** Returns the template path of a text module in the object. */
export function pathOfModule(id: string): string {
  return `object.textModulesData['${id}']`;
}

/** A field that Google shows as a text module, with the module's ID. */
export interface TextModule {
  id: string;
  field: CardField;
}

/** Returns the fields that have no place of their own at Google, front to back. Class and object use the same IDs. */
export function textModules(card: Card): TextModule[] {
  const placed = new Set(placedFields(card));
  const { primaryFields, headerFields, secondaryFields, auxiliaryFields, backFields } = card.fields;
  const fields = [...primaryFields, ...headerFields, ...secondaryFields, ...auxiliaryFields, ...backFields];
  // The template's modules keep their IDs, because its field paths name them.
  const taken = new Set((card.google?.textModulesData ?? []).flatMap(({ id }) => id ?? []));
  return fields
    .filter((field) => !placed.has(field))
    .map((field) => {
      const id = moduleId(field.key, taken);
      taken.add(id);
      return { id, field };
    });
}

/** Returns a module ID. It allows letters, digits, `_` and `-`; a dot would end the field path. */
function moduleId(key: string, taken: Set<string>): string {
  const id = key.replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'field';
  if (!taken.has(id)) return id;
  let count = 2;
  while (taken.has(`${id}_${count}`)) count++;
  return `${id}_${count}`;
}

/** Returns the fields with their own member at Google: title, balance, route, and flight data. */
function placedFields(card: Card): CardField[] {
  const primary = card.fields.primaryFields;
  switch (googleKindOf(card)) {
    case 'flight':
      return Object.values(card.fields)
        .flat()
        .filter((field) => isFlightValue(card, field));
    case 'transit':
      return primary.slice(0, 2);
    case 'eventTicket':
      // The class has the name of the event, unless the name is personal.
      return card.impersonal?.hasOtherTitle ? [] : primary.slice(0, 1);
    case 'loyalty':
    case 'generic':
      return primary.slice(0, 1);
    case 'giftCard':
      return balanceField(card);
    case 'offer':
      return [];
  }
}

/**
 * Returns the balance of a gift card, at most one field: the first one with a currency, which may be blank on a new
 * pass.
 */
export function balanceField({ fields }: Card): CardField[] {
  const { primaryFields, headerFields, secondaryFields, auxiliaryFields } = fields;
  const shown = [...primaryFields, ...headerFields, ...secondaryFields, ...auxiliaryFields];
  const money = shown.find(({ currencyCode, value }) => currencyCode && (typeof value === 'number' || value === ''));
  return money ? [money] : [];
}

/**
 * Returns whether a field repeats a flight value. Checks only unambiguous values: `2` could be the boarding group or
 * the number of bags.
 */
function isFlightValue({ flight }: Card, { value }: CardField): boolean {
  return (
    flight !== undefined &&
    [
      flight.originAirportCode,
      flight.destinationAirportCode,
      flight.passengerName,
      flight.confirmationCode,
      flight.seatNumber,
    ].includes(String(value))
  );
}

/** Returns the layout of a card for Google: the template's own, or else the rows of its fields. */
export function classTemplateInfo(card: Card) {
  const own = card.google?.classTemplateInfo;
  return own ? { ...rowsOfFields(card), ...own } : rowsOfFields(card);
}

/**
 * Returns the rows on the front of a card as Google's `classTemplateInfo`; undefined if there are none. Flights keep
 * Google's own layout. Each list of fields starts a row. If that takes more than three rows, the fields fill three rows
 * in order, and the details show the rest.
 */
function rowsOfFields(card: Card) {
  const kind = googleKindOf(card);
  if (kind === 'flight') return undefined;
  const ids = new Map(textModules(card).map(({ id, field }) => [field, pathOfModule(id)]));
  if (kind === 'giftCard') for (const field of balanceField(card)) ids.set(field, GIFT_CARD_BALANCE_PATH);
  const paths = (fields: CardField[]) => fields.flatMap((field) => ids.get(field) ?? []);
  const { primaryFields, headerFields, secondaryFields, auxiliaryFields } = card.fields;
  const balance = kind === 'loyalty' && primaryFields.length > 0 ? [LOYALTY_BALANCE_PATH] : [];
  const lists = [
    seatPaths(card),
    [...balance, ...paths(primaryFields)],
    paths(headerFields),
    paths(secondaryFields),
    paths(auxiliaryFields),
  ];
  const byList = lists.flatMap(rows);
  const chosen = byList.length > ROWS_MAX ? rows(lists.flat()).slice(0, ROWS_MAX) : byList;
  return chosen.length > 0 ? { cardTemplateOverride: { cardRowTemplateInfos: chosen.map(row) } } : undefined;
}

/** Returns the seat paths: these rows replace Google's own ticket layout, which shows the seat. */
function seatPaths(card: Card): string[] {
  if (googleKindOf(card) !== 'eventTicket') return [];
  const seat = card.google?.seatInfo ?? {};
  return (['section', 'row', 'seat', 'gate'] as const)
    .filter((part) => seat[part] !== undefined)
    .map((part) => `object.seatInfo.${part}`);
}

function rows(paths: string[]): string[][] {
  return slicesOf(paths, ROW_ITEMS_MAX);
}

function row(paths: string[]) {
  const [first, second, third] = paths.map((fieldPath) => ({ firstValue: { fields: [{ fieldPath }] } }));
  if (third) return { threeItems: { startItem: first, middleItem: second, endItem: third } };
  if (second) return { twoItems: { startItem: first, endItem: second } };
  return { oneItem: { item: first } };
}
