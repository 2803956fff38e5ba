import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { fieldText, type Reading, translated } from './field-text.ts';
import { safeHref } from './linkify.tsx';

/** Returns the fields that have a text. */
export function shownFields(fields: CardField[], reading: Reading): { label: string; text: string }[] {
  return fields
    .map((field) => ({ label: translated(field.label, reading), text: fieldText(field, reading) }))
    .filter(({ text }) => text !== '');
}

/** A link of a pass that a page may link to. `address` is shown in place of an empty `label`. */
export interface ShownLink {
  href: string;
  address: string;
  label: string;
}

export function shownLinks({ links }: Pick<Card, 'links'>, reading: Reading): ShownLink[] {
  return links.flatMap(({ label, url }) => {
    const href = safeHref(url);
    return href ? [{ href, address: href.replace(/^\w+:(\/\/)?/, ''), label: translated(label, reading) }] : [];
  });
}
