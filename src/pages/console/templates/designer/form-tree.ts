/*
 * Form values as a tree. A control's name is its path in the definition (`fields.headerFields.0.label`), which is also
 * the path of its issues.
 */

/** A text, or members by name. List items are members `0`, `1`, … */
export type FormNode = string | FormTree;
export interface FormTree {
  [name: string]: FormNode;
}

/** Maximum depth of a name. The deepest one (`translations.0.texts.12.translation`) has five parts. */
const DEPTH_MAX = 8;

/** Converts the submitted texts to a tree. Files are left out. */
export function treeOfForm(sent: Record<string, unknown>): FormTree {
  const tree = emptyTree();
  for (const [name, value] of Object.entries(sent)) {
    const path = name.split('.');
    if (typeof value === 'string' && path.length <= DEPTH_MAX) setAt(tree, path, value.replaceAll('\r\n', '\n'));
  }
  return tree;
}

/** Returns an object without a prototype, because clients choose the names. */
export const emptyTree = (): FormTree => Object.create(null);

/** Returns the node at a path; `''` if it doesn't exist. */
function nodeAt(tree: FormTree, path: string): FormNode {
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

/** Returns the items of a list in order. */
export const itemsAt = (tree: FormTree, path: string): FormTree[] => itemsOf(branchAt(tree, path));

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

/** Replaces the items of a list. */
export function setItems(tree: FormTree, path: string, items: FormTree[]): void {
  setAt(tree, path.split('.'), Object.assign(emptyTree(), Object.fromEntries(items.entries())));
}
