/*
 * What a form holds, as a tree: the name of a control is the path of what it says in the definition
 * (`fields.headerFields.0.label`), which is also what messages of the domain call it.
 */

/** A text, or members by name; the items of a list are members `0`, `1`, … */
export type FormNode = string | FormTree;
export interface FormTree {
  [name: string]: FormNode;
}

/** The deepest name of a control (`translations.0.texts.12.translation`) has five parts. */
const DEPTH_MAX = 8;

/** The tree of the texts that a form sent; files are left out. */
export function treeOfForm(sent: Record<string, unknown>): FormTree {
  const tree = emptyTree();
  for (const [name, value] of Object.entries(sent)) {
    const path = name.split('.');
    if (typeof value === 'string' && path.length <= DEPTH_MAX) setAt(tree, path, value.replaceAll('\r\n', '\n'));
  }
  return tree;
}

/** Without a prototype: names come from whoever sends the form. */
export function emptyTree(): FormTree {
  return Object.create(null);
}

/** The node at a path, `''` where there is none. */
export function nodeAt(tree: FormTree, path: string): FormNode {
  let node: FormNode = tree;
  for (const name of path.split('.')) {
    if (typeof node === 'string') return '';
    node = node[name] ?? '';
  }
  return node;
}

export function textAt(tree: FormTree, path: string): string {
  const node = nodeAt(tree, path);
  return typeof node === 'string' ? node : '';
}

export function branchAt(tree: FormTree, path: string): FormTree {
  const node = nodeAt(tree, path);
  return typeof node === 'string' ? emptyTree() : node;
}

/** The items of a list, in order. */
export function itemsAt(tree: FormTree, path: string): FormTree[] {
  return itemsOf(branchAt(tree, path));
}

export function itemsOf(list: FormTree): FormTree[] {
  return Object.entries(list)
    .filter((entry): entry is [string, FormTree] => /^\d+$/.test(entry[0]) && typeof entry[1] === 'object')
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, item]) => item);
}

export function setAt(tree: FormTree, path: string[], node: FormNode): void {
  let branch = tree;
  for (const name of path.slice(0, -1)) {
    const next = branch[name];
    const inner = typeof next === 'object' ? next : emptyTree();
    branch[name] = inner;
    branch = inner;
  }
  branch[path.at(-1)!] = node;
}

/** Puts a list of items back. */
export function setItems(tree: FormTree, path: string, items: FormTree[]): void {
  setAt(tree, path.split('.'), Object.assign(emptyTree(), Object.fromEntries(items.entries())));
}
