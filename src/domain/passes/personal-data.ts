import type { StoredDefinition } from '../templates/definition.ts';
import { shownTokens } from './page/link-tokens.ts';
import type { Pass } from './table.ts';

/** Fields of every pass that hold personal data, under the names of the API. */
export const PERSONAL_FIELDS = ['emailRecipient', 'phoneRecipient', 'downloadPin'] as const;

/** Identifiers of the additional properties that hold personal data. */
export function personalProperties(definition: Pick<StoredDefinition, 'additionalProperties'> | undefined): string[] {
  return (definition?.additionalProperties ?? []).filter(({ personal }) => personal).map(({ id }) => id);
}

/**
 * The pass as people see it who may not see personal data. A push may quote a property, so its text goes, too, and so
 * do the secrets of links. For showing alone.
 */
export function withoutPersonalData(pass: Pass, definition: StoredDefinition): Pass {
  const hidden = new Set(personalProperties(definition));
  const shown = Object.entries(pass.properties).filter(([id]) => !hidden.has(id));
  return {
    ...pass,
    emailRecipient: null,
    phoneRecipient: null,
    downloadPin: null,
    pushText: null,
    // A card may show its links, and those open everything.
    ...shownTokens({ page: pass.id, file: '', authentication: '' }),
    bundlePageToken: null,
    properties: Object.fromEntries(shown),
  };
}
