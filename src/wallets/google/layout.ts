import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { googleKindOf } from '../../domain/passes/google/google-kind.ts';
import { slicesOf } from '../../platform/chunks.ts';

/** "At most three rows are allowed", each of one to three items (Wallet API, `CardTemplateOverride`). */
const ROWS_MAX = 3;
const ROW_ITEMS_MAX = 3;

/** A field that Google shows as a text module, with the module's identifier. */
export interface TextModule {
  id: string;
  field: CardField;
}

/** Fields that Google has no place for, front to back. Class and object agree on the identifiers. */
export function textModules(card: Card): TextModule[] {
  const placed = new Set(placedFields(card));
  const { primaryFields, headerFields, secondaryFields, auxiliaryFields, backFields } = card.fields;
  const fields = [...primaryFields, ...headerFields, ...secondaryFields, ...auxiliaryFields, ...backFields];
  const taken = new Set<string>();
  return fields
    .filter((field) => !placed.has(field))
    .map((field) => {
      const id = moduleId(field.key, taken);
      taken.add(id);
      return { id, field };
    });
}

/** Module identifiers allow letters, digits, `_` and `-`: a dot would end the field path that names them. */
function moduleId(key: string, taken: Set<string>): string {
  const id = key.replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'field';
  if (!taken.has(id)) return id;
  let count = 2;
  while (taken.has(`${id}_${count}`)) count++;
  return `${id}_${count}`;
}

/** Fields that stand in a member of their own: title, balance, way, what a flight says of itself. */
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
      // The class has the name of the event, unless that is personal.
      return card.impersonal?.hasOtherTitle ? [] : primary.slice(0, 1);
    case 'loyalty':
    case 'generic':
      return primary.slice(0, 1);
    case 'offer':
      return [];
  }
}

/** Only values that can hardly mean something else: `2` may be the boarding group or the number of bags. */
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

/**
 * The rows on the front of a card, as Google's `classTemplateInfo`; undefined when there is nothing to lay out. Flights
 * keep Google's own boarding pass. Each list of fields starts a row; when that takes more than three rows, the fields
 * fill them in order and the rest shows in the details.
 */
export function classTemplateInfo(card: Card) {
  const kind = googleKindOf(card);
  if (kind === 'flight') return undefined;
  const ids = new Map(textModules(card).map(({ id, field }) => [field, id]));
  const paths = (fields: CardField[]) =>
    fields.flatMap((field) => (ids.has(field) ? [`object.textModulesData['${ids.get(field)}']`] : []));
  const { primaryFields, headerFields, secondaryFields, auxiliaryFields } = card.fields;
  const balance = kind === 'loyalty' && primaryFields.length > 0 ? ['object.loyaltyPoints.balance'] : [];
  const lists = [
    [...balance, ...paths(primaryFields)],
    paths(headerFields),
    paths(secondaryFields),
    paths(auxiliaryFields),
  ];
  const byList = lists.flatMap(rows);
  const chosen = byList.length > ROWS_MAX ? rows(lists.flat()).slice(0, ROWS_MAX) : byList;
  return chosen.length > 0 ? { cardTemplateOverride: { cardRowTemplateInfos: chosen.map(row) } } : undefined;
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
