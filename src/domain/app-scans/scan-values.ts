import type { AppConfiguration, ScanProperty } from '../app-configurations/table.ts';
import { fieldIssue, type Issue, invalid } from '../errors.ts';
import { TEXT_CHARS_MAX } from '../limits.ts';
import type { ScanValue } from './table.ts';

type Rules = Pick<AppConfiguration, 'additionalProperties' | 'preventNegativeNumericValues'>;

/**
 * The values of a configuration's additional properties, by property ID. IDs that it does not know are ignored, null
 * and an empty text are no value. Throws `invalid` naming each property whose value does not fit its type, or is
 * negative where that is prevented.
 */
export function readScanValues(configuration: Rules, sent: Record<string, unknown>): Record<string, ScanValue> {
  const values: Record<string, ScanValue> = {};
  const issues: Issue[] = [];
  for (const property of configuration.additionalProperties) {
    if (!Object.hasOwn(sent, property.id)) continue;
    const given = sent[property.id];
    if (given === null || given === undefined || given === '') continue;
    const value = READERS[property.type](given);
    if (value === undefined)
      issues.push(fieldIssue(`additionalProperties.${property.id}`, `must be ${WORDS[property.type]}`));
    else if (typeof value === 'number' && value < 0 && configuration.preventNegativeNumericValues)
      issues.push(fieldIssue(`additionalProperties.${property.id}`, 'must not be negative'));
    else values[property.id] = value;
  }
  if (issues.length > 0) throw invalid(issues);
  return values;
}

const WORDS: Record<ScanProperty['type'], string> = {
  unicode: `a string of up to ${TEXT_CHARS_MAX} characters`,
  double: 'a number',
  boolean: 'true or false',
};

const READERS: Record<ScanProperty['type'], (given: unknown) => ScanValue | undefined> = {
  unicode(given) {
    const isText = ['string', 'number', 'boolean'].includes(typeof given);
    return isText && String(given).length <= TEXT_CHARS_MAX ? String(given) : undefined;
  },
  double(given) {
    const isNumber = typeof given === 'number' || (typeof given === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(given));
    return isNumber && Number.isFinite(Number(given)) ? Number(given) : undefined;
  },
  boolean(given) {
    if (typeof given === 'boolean') return given;
    return given === 'true' ? true : given === 'false' ? false : undefined;
  },
};

/** The sum of two amounts without the dust of binary fractions: a double holds 15 decimal digits. */
export function sum(a: number, b: number): number {
  return Number((a + b).toPrecision(15));
}
