import { describeIssues } from '../errors.ts';
import type { CreateItem } from '../passes/bulk/bulk-create.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import type { UpdateItem } from '../passes/bulk/bulk-update.ts';
import type { Update } from '../passes/update-pass.ts';
import type { Operation, ProcessItem } from './process-state.ts';

/** Items of passes by what names them. */
export function itemsOf(names: string[]): ProcessItem[] {
  return names.map((key, seq) => ({ seq, key }));
}

/** What the items of an update ask of their passes. */
export function updatesOf({ mode, data }: Extract<Operation, { kind: 'update' }>, items: ProcessItem[]): UpdateItem[] {
  const shared = data && updateOf(mode, data);
  return items.map(({ seq, key: name, data: own = {} }) => ({ seq, name, update: shared ?? updateOf(mode, own) }));
}

/** The text of a push is no field of the pass; null or '' is none. */
function updateOf(mode: Update['mode'], { pushNotificationText: text, ...sent }: Record<string, unknown>): Update {
  return { mode, sent, pushText: text == null ? undefined : String(text) };
}

/** The passes that the items of a create ask for. */
export function createsOf(items: ProcessItem[]): CreateItem[] {
  return items.map(({ seq, passId, data = {} }) => ({ seq, passId: passId!, sent: data }));
}

/** Messages by what names the item in `errors`; null when there are none. */
export function errorsOf(items: ProcessItem[], failed: FailedItem[]): Record<string, string> | null {
  if (failed.length === 0) return null;
  const keys = new Map(items.map(({ seq, key }) => [seq, key]));
  return Object.fromEntries(
    failed.toSorted((a, b) => a.seq - b.seq).map(({ seq, issues }) => [keys.get(seq), describeIssues(issues)]),
  );
}
