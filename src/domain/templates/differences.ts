import { canonicalJson, isRecord } from '../../platform/json.ts';

/** Difference between two definitions; undefined on a side without a value. */
export interface Difference {
  /** Members of the definition from the outside in. An item of a keyed list is named by its key. */
  path: string[];
  before: unknown;
  after: unknown;
}

type Members = Record<string, unknown>;

/** Keys of list items, which stay the same when an item moves. */
const KEYS = ['key', 'id'] as const;
/** Position of an item, which is redundant with the order of the list. */
const PLACE = 'index';

/**
 * Returns the differences of two definitions in wire form (`wireDefinition`), in the order of the definition. Compares
 * field items by key, properties by ID, and other lists as a whole. Absent, null, false and empty are equal, so that
 * forms and the API agree.
 */
export function differences(before: Members, after: Members): Difference[] {
  return ofMembers([], before, after);
}

function ofMembers(path: string[], before: Members, after: Members): Difference[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  names.delete(PLACE);
  return [...names].flatMap((name) => ofValues([...path, name], before[name], after[name]));
}

function ofValues(path: string[], before: unknown, after: unknown): Difference[] {
  const [old, now] = [filled(before), filled(after)];
  if (canonicalJson(old) === canonicalJson(now)) return [];
  if (isKeyed(old ?? []) && isKeyed(now ?? []))
    return ofLists(path, (old ?? []) as Members[], (now ?? []) as Members[]);
  if (isRecord(old) && isRecord(now)) return ofMembers(path, old, now);
  return [{ path, before: old, after: now }];
}

function ofLists(path: string[], before: Members[], after: Members[]): Difference[] {
  const [old, now] = [byKey(before), byKey(after)];
  const common = (list: Map<string, Members>, other: Map<string, Members>) =>
    [...list.keys()].filter((key) => other.has(key));
  const [oldOrder, newOrder] = [common(old, now), common(now, old)];
  const moved = oldOrder.join('\n') === newOrder.join('\n') ? [] : [{ path, before: oldOrder, after: newOrder }];
  const keys = new Set([...old.keys(), ...now.keys()]);
  const changed = [...keys].flatMap((key) => {
    const [was, is] = [old.get(key), now.get(key)];
    return was && is ? ofMembers([...path, key], was, is) : [{ path: [...path, key], before: was, after: is }];
  });
  return [...moved, ...changed];
}

function byKey(items: Members[]): Map<string, Members> {
  return new Map(items.map((item) => [keyOf(item)!, item]));
}

function keyOf(item: Members): string | undefined {
  const name = KEYS.find((key) => typeof item[key] === 'string');
  return name && (item[name] as string);
}

function isKeyed(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => isRecord(item) && keyOf(item) !== undefined);
}

/** Returns a value without its empty parts; undefined if nothing remains. */
function filled(value: unknown): unknown {
  if (value === null || value === '' || value === false) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => filled(item) ?? null);
  if (!isRecord(value)) return value;
  const members = Object.entries(value).flatMap(([name, part]) => {
    const kept = filled(part);
    return kept === undefined || name === PLACE ? [] : [[name, kept] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
