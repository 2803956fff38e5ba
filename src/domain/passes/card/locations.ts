import type { StoredDefinition } from '../../templates/definition.ts';
import type { DefinedPass } from '../find-pass.ts';
import type { Pass } from '../table.ts';

/** A used pass has no locations where its template says so: nobody has to be reminded of it. */
export function hasNoLocations(definition: StoredDefinition, { lastUsageAt }: Pick<Pass, 'lastUsageAt'>): boolean {
  return definition.stopLocationsAfterUse === true && lastUsageAt !== null;
}

/** Whether the first usage of this pass takes locations from its card, so that it is a change for its holders. */
export function endsLocations({ definition, pass }: Pick<DefinedPass, 'definition' | 'pass'>): boolean {
  if (!definition.stopLocationsAfterUse || pass.lastUsageAt !== null) return false;
  const atGoogle = definition.google?.merchantLocations ?? [];
  return (pass.appearance.locations ?? definition.locations).length + atGoogle.length > 0;
}
