import { FIELD_LISTS } from '../../../../domain/templates/field-lists.ts';
import { type FormTree, itemsAt, textAt } from './form-tree.ts';

/** Members of a field that a reader sees. */
const FIELD_TEXTS = ['label', 'value', 'voidedLabel', 'voidedValue', 'changeMessage'];

/**
 * The texts of the definition under way that a translation can stand for, each once; what is nothing but placeholders
 * and signs needs none.
 */
export function textsOf(tree: FormTree): string[] {
  const fields = FIELD_LISTS.flatMap((list) => itemsAt(tree, `fields.${list}`));
  const texts = [
    textAt(tree, 'description'),
    textAt(tree, 'logoText'),
    ...fields.flatMap((field) => FIELD_TEXTS.map((name) => textAt(field, name))),
    textAt(tree, 'barcode.alternativeText'),
    ...itemsAt(tree, 'links').map((link) => textAt(link, 'label')),
  ];
  return [...new Set(texts)].filter((text) => /\p{Letter}/u.test(text.replaceAll(/\{[^{}]*\}/g, '')));
}
