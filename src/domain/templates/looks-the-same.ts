import { and, eq, inArray } from 'drizzle-orm';
import { canonicalJson } from '../../platform/canonical-json.ts';
import type { Context } from '../context.ts';
import type { StoredDefinition } from './definition.ts';
import { templateVersions } from './table.ts';

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

/** Whether passes look alike with two versions of a template; not when one of them is gone. One round trip. */
export async function looksTheSame(ctx: Context, templateId: string, before: number, after: number): Promise<boolean> {
  const rows = await ctx.db
    .select({ definition: templateVersions.definition })
    .from(templateVersions)
    .where(and(eq(templateVersions.templateId, templateId), inArray(templateVersions.version, [before, after])));
  const looks = rows.map((row) => {
    const definition: Partial<StoredDefinition> = { ...row.definition };
    for (const name of UNSEEN) delete definition[name];
    return canonicalJson(definition);
  });
  return looks.length === 2 && looks[0] === looks[1];
}
