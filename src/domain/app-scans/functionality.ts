import type { AppConfiguration } from '../app-configurations/table.ts';
import { invalidField } from '../errors.ts';
import type { StoredDefinition } from '../templates/definition.ts';

/** Additional effect of an accepted scan on a pass, from the pass's template. */
export type Functionality = NonNullable<StoredDefinition['passFunctionality']>['type'];

/** Types whose scans change the stored value by an amount, whatever the configuration says. */
const COUNTING: (Functionality | undefined)[] = ['stampCollect', 'stampSpend', 'loyalty', 'prepaid'];

export function functionalityOf({ passFunctionality }: StoredDefinition): Functionality | undefined {
  return passFunctionality?.type;
}

/** Returns the limit on scans of a pass: one scan per day, or the stamps; null: none. */
export function limitOf({ definition }: { definition: StoredDefinition }): 'day' | 'stamps' | null {
  const type = functionalityOf(definition);
  return type === 'oncePerDay' ? 'day' : type === 'stampSpend' ? 'stamps' : null;
}

/** Whether a pass has a stamp left; always true for a template that takes none. */
export function hasStampsLeft(definition: StoredDefinition, storedValue: number | null): boolean {
  return limitOf({ definition }) !== 'stamps' || (storedValue ?? 0) >= 1;
}

/** Whether undoing a scan returns the amount, even if the value has changed since the scan. */
export function canReturnAmount(definition: StoredDefinition): boolean {
  return COUNTING.includes(functionalityOf(definition));
}

/** Throws `invalid` for a `storedValue` that a scan of such a pass can't have. */
export function checkAmount(type: Functionality | undefined, storedValue: number | undefined): void {
  if (storedValue === undefined) return;
  if (type === 'stampCollect') throw invalidField('storedValue', 'must be left out, because each scan adds one stamp');
  if (type === 'stampSpend') throw invalidField('storedValue', 'must be left out, because each scan takes one stamp');
  if ((type === 'loyalty' || type === 'prepaid') && storedValue < 0) {
    throw invalidField('storedValue', 'must not be negative. Send an amount such as 5');
  }
}

/** Returns the value after a scan; undefined if it stays the same. Throws `invalid` with the balance. */
export function valueAfter(
  { incrementStoredValue, preventNegativeStoredValueBalance }: AppConfiguration,
  type: Functionality | undefined,
  before: number | null,
  sent: number | undefined,
): number | undefined {
  if (type === 'stampCollect') return sum(before ?? 0, 1);
  if (type === 'stampSpend') return sum(before ?? 0, -1);
  if (sent === undefined) return undefined;
  const balance = before ?? 0;
  if (type === 'prepaid' && sum(balance, -sent) < 0) {
    throw invalidField('storedValue', `${sent} is more than the balance of ${balance}`);
  }
  const adds = incrementStoredValue || COUNTING.includes(type);
  const after = adds ? sum(balance, type === 'prepaid' ? -sent : sent) : sent;
  if (!Number.isFinite(after)) throw invalidField('storedValue', 'is too large');
  if (preventNegativeStoredValueBalance && after < 0) {
    throw invalidField('storedValue', `the balance must not become negative; it is currently ${balance}`);
  }
  return after;
}

/** Returns the sum of two amounts without binary rounding errors: a double holds 15 decimal digits. */
export function sum(a: number, b: number): number {
  return Number((a + b).toPrecision(15));
}
