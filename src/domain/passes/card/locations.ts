import type { StoredDefinition } from '../../templates/definition.ts';
import type { DefinedPass } from '../find-pass.ts';
import type { Pass } from '../table.ts';

/** Whether a pass has no locations because it was used and its template stops locations after use. */
export function hasNoLocations(definition: StoredDefinition, { lastUsageAt }: Pick<Pass, 'lastUsageAt'>): boolean {
  return definition.stopLocationsAfterUse === true && lastUsageAt !== null;
}

/** Whether the first usage of this pass removes locations from its card, which is a visible change. */
export function isRemovingLocations({ definition, pass }: Pick<DefinedPass, 'definition' | 'pass'>): boolean {
  if (!definition.stopLocationsAfterUse || pass.lastUsageAt !== null) return false;
  const atGoogle = definition.google?.merchantLocations ?? [];
  return (pass.appearance.locations ?? definition.locations).length + atGoogle.length > 0;
}
