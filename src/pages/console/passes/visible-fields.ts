import { DomainError, invalid, invalidField } from '../../../domain/errors.ts';
import {
  CODE_FIELDS,
  PASSENGER_FIELDS,
  PERSONAL_FIELDS,
  personalProperties,
} from '../../../domain/passes/personal-data.ts';
import { isFlight } from '../../../domain/passes/values/used-fields.ts';
import { isBuiltInField } from '../../../domain/search/fields.ts';
import { GROUPS_MAX } from '../../../domain/search/query.ts';
import { PROPERTY_ID_PATTERN } from '../../../domain/templates/additional-properties.ts';
import type { StoredDefinition } from '../../../domain/templates/definition.ts';
import { hasPrivilege } from '../../../domain/users/privileges.ts';
import { queryFields } from './query-fields.ts';

type Definition = StoredDefinition | undefined;
type Query = Record<string, unknown>;
type Group = { field?: unknown; operator?: unknown }[];

/** Returns whether a member can see personal data. */
export const seesPersonalData = (privileges: string[]) => hasPrivilege(privileges, 'personal_data');

/** Returns the fields that are hidden from a member, by the key of their column, form field or query field. */
export function hiddenFrom(privileges: string[], definition: Definition): Set<string> {
  if (seesPersonalData(privileges)) return new Set();
  const ofFlight = definition && isFlight(definition) ? [...PASSENGER_FIELDS, ...CODE_FIELDS] : [];
  return new Set([...PERSONAL_FIELDS, ...personalProperties(definition), ...ofFlight]);
}

/**
 * Returns the fields that a member can set. The holder of a pass gets a link to all passes of its bundle, so only
 * members with access to personal data put passes into bundles.
 */
export function settableFields<F extends { key: string }>(privileges: string[], fields: F[]): F[] {
  return seesPersonalData(privileges) ? fields : fields.filter(({ key }) => key !== 'bundleId');
}

/** Fields that a phrase searches for members without access to personal data. A match reveals the searched value. */
const PHRASE_FIELDS = ['userProvidedId', 'generatedId', 'barcodeValue', 'identifier'];

/** Whether the codes of the searched passes may contain passengers. Without a template, they can be of any. */
const mayHavePassengers = (definition: Definition) => !definition || isFlight(definition);

/** Returns the fields that are hidden in some passes. Without a template, any can be a flight, whose code is. */
export function hiddenFromAll(privileges: string[], definition: Definition): Set<string> {
  const isHidden = !seesPersonalData(privileges) && mayHavePassengers(definition);
  return new Set([...hiddenFrom(privileges, definition), ...(isHidden ? CODE_FIELDS : [])]);
}

/** Operators that reveal nothing about a code to members who don't know all of it. */
const WHOLE_CODE: unknown[] = ['equals', 'notEquals'];

/**
 * Returns a query that reveals no hidden values: a match reveals the values it compares. Throws `invalid` for hidden
 * fields, and for fields of an unknown template.
 */
export function visibleQuery(query: Query, privileges: string[], definition: Definition): Query {
  if (seesPersonalData(privileges)) return query;
  const { searchPhrase, ...rest } = query;
  const groups = groupsOf(query);
  const harmless = harmlessNames(definition);
  const strange = groups
    .flat()
    .find(
      ({ field, operator }) =>
        !harmless.has(String(field)) && !(field === 'barcodeValue' && WHOLE_CODE.includes(operator)),
    );
  if (strange) throw invalidField('field', `"${String(strange.field)}" needs the privilege personal_data`);
  // Queries also take numbers as texts.
  const phrase = String(searchPhrase ?? '').trim();
  if (phrase === '') return query;
  const all: Group[] = groups.length > 0 ? groups : [[]];
  const value = phrase.replaceAll('*', '').trim();
  const widened = all.flatMap((group) =>
    PHRASE_FIELDS.map((field) => {
      const isWhole = field === 'barcodeValue' && mayHavePassengers(definition);
      return [...group, { field, operator: isWhole ? 'equals' : 'contains', value }];
    }),
  );
  if (widened.length > GROUPS_MAX) throw invalid('Remove the search phrase or some of the groups');
  return { ...rest, groups: widened };
}

/** Returns whether the values in a saved query reveal no personal data. */
export function isVisibleQuery(query: Query, privileges: string[]): boolean {
  if (seesPersonalData(privileges)) return true;
  try {
    return visibleQuery(query, privileges, undefined) === query;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

function groupsOf({ groups }: Query): Group[] {
  return Array.isArray(groups) ? (groups as Group[]).filter((group) => Array.isArray(group) && group.length > 0) : [];
}

/**
 * Names of fields without personal data. Properties can also be referred to by name, unless it is that of a field or
 * can be the ID of another property.
 */
function harmlessNames(definition: Definition): Set<string> {
  const hidden = hiddenFromAll([], definition);
  const own = (definition?.additionalProperties ?? []).filter(
    ({ id, name }) => !hidden.has(id) && !isBuiltInField(name) && !PROPERTY_ID_PATTERN.test(name),
  );
  const known = queryFields(definition).filter(({ name }) => !hidden.has(name));
  return new Set([...known.map(({ name }) => name), ...own.map(({ name }) => name)]);
}
