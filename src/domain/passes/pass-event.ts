import { formatDateTime } from '../../platform/dates.ts';
import type { AccountContext } from '../context.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { pagePath } from './links.ts';
import { namedProperties } from './property-values.ts';
import type { Pass } from './table.ts';

/** The nine keys that every pass event carries (specification, "Events"). */
export function passEventBody(ctx: AccountContext, pass: Pass, definition: StoredDefinition): Record<string, unknown> {
  return {
    identifier: pass.id,
    passId: pass.id,
    uniqueIdentifier: pass.generatedId,
    createdOn: formatDateTime(pass.createdAt, ctx.account.timezone),
    passTemplate: definition.name,
    userProvidedId: pass.userProvidedId,
    linkToPassPage: ctx.baseUrl + pagePath(pass),
    passTemplateGuid: pass.templateId,
    genericProperties: namedProperties(definition, pass.properties),
  };
}
