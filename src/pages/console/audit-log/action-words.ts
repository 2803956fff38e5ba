import type { ListedAction } from '../../../domain/audit/list-actions.ts';
import type { FieldChange } from '../../../domain/audit/table.ts';

/** Titles of actor types. */
export const ACTOR_TYPES: Record<ListedAction['actor']['type'], string> = {
  api_key: 'API key',
  user: 'Member',
  scanner_link: 'Scanner link',
  operator: 'Operator of the service',
  system: 'The service itself',
};

/** Describes a changed field. Values are absent if the viewer must not see them. */
export function changeText(change: FieldChange): string {
  const { field } = change;
  if (!('new' in change)) return field;
  const after = valueText(change.new);
  return 'old' in change ? `${field}: ${valueText(change.old)} → ${after}` : `${field}: ${after}`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
