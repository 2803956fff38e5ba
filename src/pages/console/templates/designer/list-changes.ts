import { FIELD_LISTS } from '../../../../domain/templates/list-names.ts';
import { branchAt, emptyTree, type FormTree, itemsAt, setItems, textAt } from './form-tree.ts';

/* List commands of the form's buttons: add, remove and move items. They don't save anything. */

/** Paths of editable lists. Translations contain a list per language. */
const LISTS = new Set([
  ...FIELD_LISTS.map((list) => `fields.${list}`),
  'additionalProperties',
  'links',
  'locations',
  'translations',
  'passFunctionality.tiers',
]);

/** `add:<list>`, or `remove`, `up` or `down` with the path of an item. */
const COMMAND = /^(add|remove|up|down):(.+?)(?:\.(\d+))?$/;

export interface ListChange {
  list: string;
  /** Announcement for screen readers. */
  said: string;
}

/** Applies a button's command to a tree. Returns undefined if it is not a list command. */
export function changeList(tree: FormTree, command: string): ListChange | undefined {
  const [, verb, list, place] = COMMAND.exec(command) ?? [];
  if (!verb || !list || !LISTS.has(list) || (verb === 'add') !== (place === undefined)) return undefined;
  const items = itemsAt(tree, list);
  const indexes = items.map((item) => Number(textAt(item, 'index') || Number.NaN));
  const at = Number(place);
  if (verb === 'add') {
    setItems(tree, list, [...items, newItem(tree, list, indexes)]);
    return { list, said: `Added as item ${items.length + 1}` };
  }
  const item = items[at];
  if (!item) return undefined;
  items.splice(at, 1);
  if (verb === 'remove') {
    setItems(tree, list, items);
    return { list, said: `Removed, ${items.length} left` };
  }
  const to = Math.min(items.length, Math.max(0, at + (verb === 'up' ? -1 : 1)));
  items.splice(to, 0, item);
  // Indexes keep their positions when items move, because API callers address a field by its index.
  if (!indexes.some(Number.isNaN)) {
    for (const [i, index] of indexes.sort((a, b) => a - b).entries()) items[i]!.index = String(index);
  }
  setItems(tree, list, items);
  return { list, said: `Moved to position ${to + 1} of ${items.length}` };
}

function newItem(tree: FormTree, list: string, indexes: number[]): FormTree {
  const item = emptyTree();
  if (list.startsWith('fields.')) {
    item.type = 'text';
    item.key = freeKey(tree, list);
    if (!indexes.some(Number.isNaN)) item.index = String(Math.max(-1, ...indexes) + 1);
  }
  if (list === 'additionalProperties') item.type = 'text';
  return item;
}

function freeKey(tree: FormTree, list: string): string {
  const taken = new Set(FIELD_LISTS.flatMap((one) => itemsAt(tree, `fields.${one}`).map(({ key }) => key)));
  const stem = list.replace('fields.', '').replace('Fields', '');
  let count = Object.keys(branchAt(tree, list)).length + 1;
  while (taken.has(`${stem}${count}`)) count += 1;
  return `${stem}${count}`;
}
