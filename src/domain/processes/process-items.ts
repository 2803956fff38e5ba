import { describeIssues } from '../errors.ts';
import type { CreateItem } from '../passes/bulk/bulk-create.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import type { UpdateItem } from '../passes/bulk/bulk-update.ts';
import type { Update } from '../passes/update-pass.ts';
import type { Operation, ProcessItem } from './process-state.ts';

/** Returns the items of passes with these names. */
export function itemsOf(names: string[]): ProcessItem[] {
  return names.map((key, seq) => ({ seq, key }));
}

/** Returns the pass updates of an update's items. */
export function updatesOf({ mode, data }: Extract<Operation, { kind: 'update' }>, items: ProcessItem[]): UpdateItem[] {
  const shared = data && updateOf(mode, data);
  return items.map(({ seq, key: name, data: own = {} }) => ({ seq, name, update: shared ?? updateOf(mode, own) }));
}

/** The text of a push isn't a field of the pass; null or '' means none. */
function updateOf(mode: Update['mode'], { pushNotificationText: text, ...sent }: Record<string, unknown>): Update {
  return { mode, sent, pushText: text == null ? undefined : String(text) };
}

/** Returns the passes to create for the items of a create. */
export function createsOf(items: ProcessItem[]): CreateItem[] {
  return items.map(({ seq, passId, data = {} }) => ({ seq, passId: passId!, sent: data }));
}

/** Returns messages by the name of the item in `errors`; null if there are none. */
export function errorsOf(items: ProcessItem[], failed: FailedItem[]): Record<string, string> | null {
  if (failed.length === 0) return null;
  const keys = new Map(items.map(({ seq, key }) => [seq, key]));
  return Object.fromEntries(
    failed.toSorted((a, b) => a.seq - b.seq).map(({ seq, issues }) => [keys.get(seq), describeIssues(issues)]),
  );
}
