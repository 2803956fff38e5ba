import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { POSTER_LISTS, type PosterList } from '../../domain/templates/apple/schemes.ts';
import type { PassType } from '../../domain/templates/definition.ts';
import { FIELD_LISTS, type FieldList } from '../../domain/templates/list-names.ts';
import { escapeHtml } from '../../platform/text.ts';

/**
 * Returns the field lists of a card's style by their names in pass.json. `hasEventGuide`: it is a poster event ticket.
 */
export function fieldLists(card: Card, hasEventGuide: boolean): Record<string, object[]> {
  const lists: Record<string, object[]> = {};
  for (const list of FIELD_LISTS) {
    const fields: object[] = card.fields[list].map((field) => fieldContent(field, list, card.type));
    if (list === 'backFields') fields.push(...linkFields(card), pushTextField(card));
    if (fields.length > 0) lists[list] = fields;
  }
  const additional = hasEventGuide ? card.apple?.additionalInfoFields : undefined;
  if (additional?.length) {
    const taken = new Set(FIELD_LISTS.flatMap((list) => card.fields[list].map(({ key }) => key)));
    lists.additionalInfoFields = fieldList(withOwnKeys(additional, taken), 'additionalInfoFields', card.type)!;
  }
  return lists;
}

/** Returns the field lists of the iOS 27 poster. Lists that the template leaves out are those of the card. */
export function posterLists(card: Card): Record<string, object[]> {
  const taken = new Set<string>();
  const shown = POSTER_LISTS.map((list) => [list, withOwnKeys(posterFields(card, list), taken)] as const);
  const all = shown.flatMap(([, fields]) => fields);
  const lists: Record<string, object[]> = {};
  for (const [list, own] of shown) {
    const fields: object[] = own.map((field) => fieldContent(field, list, card.type));
    // The device shows change messages only for visible fields.
    if (list === 'backFields') fields.push(...linkFields(card, all), pushTextField(card, all));
    if (fields.length > 0) lists[list] = fields;
  }
  return lists;
}

/**
 * Returns fields whose keys aren't among `taken`, and adds them to it. A key must be unique, because devices find the
 * old value of a field by its key (Apple, PassFieldContent).
 */
export function withOwnKeys(fields: CardField[], taken: Set<string>): CardField[] {
  return fields.map((field) => {
    let { key } = field;
    while (taken.has(key)) key = `_${key}`;
    taken.add(key);
    return key === field.key ? field : { ...field, key };
  });
}

/** Returns the fields of a list of that poster. */
export function posterFields(card: Card, list: PosterList): CardField[] {
  return card.apple?.posterGeneric?.[list] ?? (isFieldList(list) ? card.fields[list] : []);
}

function isFieldList(list: string): list is FieldList {
  return (FIELD_LISTS as readonly string[]).includes(list);
}

/** Returns a list of fields; undefined if there are none. */
export function fieldList(fields: CardField[], list: ListName, type: PassType): object[] | undefined {
  return fields.length > 0 ? fields.map((field) => fieldContent(field, list, type)) : undefined;
}

type ListName = FieldList | PosterList;

/** Builds Apple's `PassFieldContent`. A member that the list or value doesn't allow would invalidate the whole pass. */
function fieldContent(field: CardField, list: ListName, type: PassType): object {
  const aligned = list !== 'primaryFields' && list !== 'backFields';
  const rowed = list === 'auxiliaryFields' && type.startsWith('eventTicket');
  return {
    key: field.key,
    label: field.label || undefined,
    value: field.value,
    changeMessage: field.changeMessage || undefined,
    textAlignment: aligned ? field.alignment : undefined,
    row: rowed ? field.row : undefined,
    ...dateFormat(field),
    ...numberFormat(field),
    semantics: field.semantics,
  };
}

const ISO_WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/;

/** Wallet formats a date only if both styles are present. */
function dateFormat(field: CardField): object {
  if (field.type !== 'date' || !ISO_WITH_ZONE.test(String(field.value))) return {};
  const styled = field.dateStyle || field.timeStyle;
  return {
    dateStyle: field.dateStyle ?? (styled ? 'PKDateStyleNone' : 'PKDateStyleMedium'),
    timeStyle: field.timeStyle ?? (styled ? 'PKDateStyleNone' : 'PKDateStyleShort'),
    ignoresTimeZone: field.ignoresTimezone || undefined,
    isRelative: field.isRelative || undefined,
  };
}

/** A currency and a number style exclude each other. */
function numberFormat(field: CardField): object {
  if (typeof field.value !== 'number') return {};
  return field.currencyCode ? { currencyCode: field.currencyCode } : { numberStyle: field.numberStyle };
}

/** Labels of the last push text by language, and its value before the first push. */
const PUSH_TEXT_LABELS: Record<string, string> = {
  en: 'Latest message',
  de: 'Letzte Nachricht',
  fr: 'Dernier message',
  es: 'Último mensaje',
  it: 'Ultimo messaggio',
  nl: 'Laatste bericht',
};
const NO_PUSH_TEXT = '–';

/**
 * Returns the field that makes iPhones show a push text: a push carries no text, but Wallet shows the change message of
 * a field whose value changes (Apple, Wallet Passes). The field must exist from the start, because a new field hasn't
 * changed.
 */
function pushTextField(card: Card, others: CardField[] = []): object {
  const label = PUSH_TEXT_LABELS[card.language] ?? PUSH_TEXT_LABELS.en;
  return {
    key: freeKey('push-text', card, others),
    label,
    value: card.pushText ?? NO_PUSH_TEXT,
    changeMessage: '%@',
  };
}

function isTaken(key: string, card: Card, others: CardField[]): boolean {
  const has = (field: CardField) => field.key === key;
  for (const list of FIELD_LISTS) if (card.fields[list].some(has)) return true;
  return others.some(has) || (card.apple?.additionalInfoFields.some(has) ?? false);
}

function freeKey(wanted: string, card: Card, others: CardField[]): string {
  let key = wanted;
  while (isTaken(key, card, others)) key = `_${key}`;
  return key;
}

/** Returns the links of a card as fields on the back. They are explicit, so devices have nothing to detect. */
function linkFields(card: Card, others: CardField[] = []): object[] {
  return card.links.map((link, i) => ({
    ...linkField(freeKey(`link-${i + 1}`, card, others), link),
    dataDetectorTypes: [],
  }));
}

/** Returns the field of a link: the label above, the URL as a link below. */
export function linkField(key: string, { label, url }: Card['links'][number]) {
  const value = url.replace(/^(tel|mailto):/, '');
  const attributedValue = `<a href="${escapeHtml(url)}">${escapeHtml(value)}</a>`;
  return { key, label: label || undefined, value, attributedValue };
}
