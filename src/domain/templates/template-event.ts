import type { EventBody } from '../events/catalog.ts';
import type { Template } from './table.ts';

/** The body of template events. `active` is the number of passes that are on a device. */
export function templateEventBody(
  { id, name, passCount }: Pick<Template, 'id' | 'name' | 'passCount'>,
  active: number,
): EventBody<'pass_template_created' | 'pass_template_updated'> {
  return { uniqueIdentifier: id, name, noOfActivePasses: active, noOfCreatedPasses: passCount };
}
