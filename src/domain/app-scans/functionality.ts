import type { AppConfiguration } from '../app-configurations/table.ts';
import { invalidField } from '../errors.ts';
import type { StoredDefinition } from '../templates/definition.ts';

/** What else an accepted scan does to a pass, as the pass's template says. */
export type Functionality = NonNullable<StoredDefinition['passFunctionality']>['type'];

/** Types whose scans change the stored value by an amount, whatever the configuration says. */
const COUNTING: (Functionality | undefined)[] = ['stampCollect', 'stampSpend', 'loyalty', 'prepaid'];

export function functionalityOf({ passFunctionality }: StoredDefinition): Functionality | undefined {
  return passFunctionality?.type;
}

/** What scans of a pass can use up: the one scan of a day, or the stamps; null: nothing. */
export function limitOf({ definition }: { definition: StoredDefinition }): 'day' | 'stamps' | null {
  const type = functionalityOf(definition);
  return type === 'oncePerDay' ? 'day' : type === 'stampSpend' ? 'stamps' : null;
}

/** Whether a pass has a stamp to take; one whose template takes none always has. */
export function hasStampsLeft(definition: StoredDefinition, storedValue: number | null): boolean {
  return limitOf({ definition }) !== 'stamps' || (storedValue ?? 0) >= 1;
}

/** Whether undoing a scan gives the amount back, and does not depend on the value being what the scan left. */
export function givesBackAmount(definition: StoredDefinition): boolean {
  return COUNTING.includes(functionalityOf(definition));
}

/** Throws `invalid` for a `storedValue` that no scan of such a pass can have. */
export function checkAmount(type: Functionality | undefined, storedValue: number | undefined): void {
  if (storedValue === undefined) return;
  if (type === 'stampCollect') throw invalidField('storedValue', 'must be left out, because each scan adds one stamp');
  if (type === 'stampSpend') throw invalidField('storedValue', 'must be left out, because each scan takes one stamp');
  if ((type === 'loyalty' || type === 'prepaid') && storedValue < 0) {
    throw invalidField('storedValue', 'must not be negative. Send an amount such as 5');
  }
}

/** Undefined when the scan leaves the value as it is. Throws `invalid` naming the balance. */
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

/** The sum of two amounts without the dust of binary fractions: a double holds 15 decimal digits. */
export function sum(a: number, b: number): number {
  return Number((a + b).toPrecision(15));
}
