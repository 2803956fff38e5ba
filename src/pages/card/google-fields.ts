import type { Card, CardField } from '../../domain/passes/card/card.ts';
import {
  balanceField,
  GIFT_CARD_BALANCE_PATH,
  LOYALTY_BALANCE_PATH,
  pathOfModule,
  textModules,
} from '../../wallets/google/layout.ts';

const SEAT_LABELS = { section: 'Section', row: 'Row', seat: 'Seat', gate: 'Gate' };

/** Fields by the paths under which a layout of Google names them. */
export function fieldsByPath(card: Card): Map<string, CardField> {
  const fields = new Map(textModules(card).map(({ id, field }) => [pathOfModule(id), field]));
  const text = (path: string, label: string, value: string) =>
    fields.set(path, { key: path, type: 'text', label, value });
  const { textModulesData, seatInfo, venue } = card.google ?? {};
  for (const { id, header, body } of textModulesData ?? []) if (id) text(pathOfModule(id), header ?? '', body);
  for (const [part, label] of Object.entries(SEAT_LABELS)) {
    text(`object.seatInfo.${part}`, label, seatInfo?.[part as keyof typeof SEAT_LABELS] ?? '');
  }
  text('class.venue.name', 'Venue', venue?.name ?? '');
  const [loyalty] = card.fields.primaryFields;
  if (loyalty) fields.set(LOYALTY_BALANCE_PATH, loyalty);
  for (const field of balanceField(card)) fields.set(GIFT_CARD_BALANCE_PATH, field);
  return fields;
}

/** What Google Wallet lists below the front: each text without a place of its own, and the links. */
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
