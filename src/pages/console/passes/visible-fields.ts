import { DomainError, invalid, invalidField } from '../../../domain/errors.ts';
import { PERSONAL_FIELDS, personalProperties } from '../../../domain/passes/personal-data.ts';
import { GROUPS_MAX } from '../../../domain/search/query.ts';
import type { StoredDefinition } from '../../../domain/templates/definition.ts';
import { hasPrivilege } from '../../../domain/users/privileges.ts';
import { queryFields } from './query-fields.ts';

type Definition = StoredDefinition | undefined;
type Query = Record<string, unknown>;
type Group = { field?: unknown }[];

/** Whether a member sees personal data. */
export const seesPersonalData = (privileges: string[]) => hasPrivilege(privileges, 'personal_data');

/** What has to be hidden from a member: fields of passes by the key of their column, form field or query field. */
export function hiddenFrom(privileges: string[], definition: Definition): Set<string> {
  return new Set(seesPersonalData(privileges) ? [] : [...PERSONAL_FIELDS, ...personalProperties(definition)]);
}

/**
 * Fields that a phrase looks at for people who may not see personal data: they show who found something what it was.
 */
const PHRASE_FIELDS = ['userProvidedId', 'generatedId', 'barcodeValue', 'identifier'];

/**
 * A query that tells a member nothing that may not be seen: what a search finds shows the values that it looks at.
 * Throws `invalid` when it names a field that is hidden or not known to be harmless, because its template was not
 * chosen.
 */
export function visibleQuery(query: Query, privileges: string[], definition: Definition): Query {
  if (seesPersonalData(privileges)) return query;
  const { searchPhrase, ...rest } = query;
  const groups = groupsOf(query);
  const harmless = harmlessNames(definition);
  const strange = groups.flat().find(({ field }) => !harmless.has(String(field)));
  if (strange) throw invalidField('field', `"${String(strange.field)}" needs the privilege personal_data`);
  if (typeof searchPhrase !== 'string' || searchPhrase.trim() === '') return query;
  const all: Group[] = groups.length > 0 ? groups : [[]];
  const value = searchPhrase.replaceAll('*', '').trim();
  const widened = all.flatMap((group) =>
    PHRASE_FIELDS.map((field) => [...group, { field, operator: 'contains', value }]),
  );
  if (widened.length > GROUPS_MAX) throw invalid('Remove the search phrase or some of the groups');
  return { ...rest, groups: widened };
}

/** Whether a kept query shows nothing by its values. */
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

/** Names of fields that show no personal data; properties also go by their name. */
function harmlessNames(definition: Definition): Set<string> {
  const hidden = hiddenFrom([], definition);
  const own = (definition?.additionalProperties ?? []).filter(({ id }) => !hidden.has(id));
  const known = queryFields(definition).filter(({ name }) => !hidden.has(name));
  return new Set([...known.map(({ name }) => name), ...own.map(({ name }) => name)]);
}
