import { checked } from '../check.ts';
import { DomainError } from '../errors.ts';
import type { CreateItem } from '../passes/bulk-create.ts';
import type { FailedItem } from '../passes/bulk-item.ts';
import type { UpdateItem } from '../passes/bulk-update.ts';
import { PassFields } from '../passes/pass-fields.ts';
import type { Update } from '../passes/update-pass.ts';
import type { Operation, ProcessItem } from './process-state.ts';

/** Items of passes by what names them. */
export function itemsOf(names: string[]): ProcessItem[] {
  return names.map((key, seq) => ({ seq, key }));
}

/** What the items of an update ask of their passes, and those whose own values are wrong whatever the pass. */
export function updatesOf(
  { mode, data, voids }: Extract<Operation, { kind: 'update' }>,
  items: ProcessItem[],
): { updates: UpdateItem[]; failed: FailedItem[] } {
  const shared = data && updateOf(mode, data, voids);
  const updates: UpdateItem[] = [];
  const failed: FailedItem[] = [];
  for (const { seq, key: name, data: own = {} } of items) {
    try {
      updates.push({ seq, name, update: shared ?? updateOf(mode, own, voids) });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      failed.push({ seq, message: error.message });
    }
  }
  return { updates, failed };
}

/** The text of a push is no field of the pass; null or '' is none. */
function updateOf(
  mode: Update['mode'],
  { pushNotificationText: text, ...sent }: Record<string, unknown>,
  voids?: boolean,
): Update {
  const pushText = text == null ? undefined : String(text);
  return { mode, sent, fields: checked(PassFields, sent), pushText, voids };
}

/** The passes that the items of a create ask for. */
export function createsOf(items: ProcessItem[]): CreateItem[] {
  return items.map(({ seq, passId, data = {} }) => ({ seq, passId: passId!, sent: data }));
}

/** Messages by what names the item in `errors`; null when there are none (specification, "Process"). */
export function errorsOf(items: ProcessItem[], failed: FailedItem[]): Record<string, string> | null {
  if (failed.length === 0) return null;
  const keys = new Map(items.map(({ seq, key }) => [seq, key]));
  return Object.fromEntries(
    failed.toSorted((a, b) => a.seq - b.seq).map(({ seq, message }) => [keys.get(seq), message]),
  );
}
