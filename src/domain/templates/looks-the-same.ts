import { canonicalJson } from '../../platform/canonical-json.ts';
import type { Context } from '../context.ts';
import type { StoredDefinition } from './definition.ts';
import { loadDefinition } from './load-definition.ts';

/** What a definition says of rules and of sending, and no wallet shows. */
const UNSEEN = [
  'customNumberRange',
  'downloadPinEnabled',
  'enforceUniqueUserProvidedId',
  'hidePrintVersion',
  'maxPasses',
  'passFunctionality',
  'preventDownloadWhenActive',
  'projectId',
  'sendoutOptions',
  'userProvidedId',
  'validValidationPlaces',
] satisfies (keyof StoredDefinition)[];

/** Whether passes look alike with two versions of a template. Two round trips at most, none for versions that this isolate holds. */
export async function looksTheSame(ctx: Context, templateId: string, before: number, after: number): Promise<boolean> {
  const looks = async (version: number) => {
    const definition: Partial<StoredDefinition> = { ...(await loadDefinition(ctx, templateId, version)) };
    for (const name of UNSEEN) delete definition[name];
    return canonicalJson(definition);
  };
  return (await looks(before)) === (await looks(after));
}
