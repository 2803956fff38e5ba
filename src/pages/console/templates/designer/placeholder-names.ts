import { OWN_PLACEHOLDERS } from '../../../../domain/passes/card/placeholders.ts';
import { FLIGHT_FIELD_NAMES } from '../../../../domain/passes/values/flight-fields.ts';
import { type FormTree, itemsAt, textAt } from './form-tree.ts';

/** Names that texts of the definition under way may have in braces: its properties, then a pass's own fields. */
export function placeholdersOf(tree: FormTree): string[] {
  const properties = itemsAt(tree, 'additionalProperties').flatMap((item) => textAt(item, 'name') || []);
  const isFlight = textAt(tree, 'type') === 'boardingPass' && textAt(tree, 'transitType') === 'PKTransitTypeAir';
  const flight = new Set<string>(isFlight ? [] : FLIGHT_FIELD_NAMES);
  return [...new Set([...properties, ...OWN_PLACEHOLDERS.filter((name) => !flight.has(name))])];
}
