import { formatDateTime } from '../../platform/dates.ts';
import type { AccountContext } from '../context.ts';
import type { EventBody } from '../events/catalog.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { linkWithoutToken } from './event-link.ts';
import type { Pass } from './table.ts';
import { namedProperties } from './values/property-values.ts';

/** Events that are only about a pass. */
export type PassEventType = 'pass_created' | 'pass_updated' | 'pass_voided' | 'pass_unvoided' | 'pass_deleted';

/** Builds the nine keys of every pass event in stored form. The link is completed at delivery (`event-link.ts`). */
export function passEventBody(ctx: AccountContext, pass: Pass, definition: StoredDefinition): EventBody<PassEventType> {
  return {
    identifier: pass.id,
    passId: pass.id,
    uniqueIdentifier: pass.generatedId,
    createdOn: formatDateTime(pass.createdAt, ctx.account.timezone),
    passTemplate: definition.name,
    userProvidedId: pass.userProvidedId,
    linkToPassPage: linkWithoutToken(ctx),
    passTemplateGuid: pass.templateId,
    genericProperties: namedProperties(definition, pass.properties),
  };
}
