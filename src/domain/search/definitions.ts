import { and, sql } from 'drizzle-orm';
import type { BatchPart } from '../../platform/batch-part.ts';
import type { AccountContext } from '../context.ts';
import type { Pass } from '../passes/table.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { cacheDefinition, cachedDefinition, missingDefinition } from '../templates/get-template.ts';
import { templateVersions } from '../templates/table.ts';
import type { Scope, ScopeTemplate } from './scope.ts';
import type { ShownVersion } from './template-facts.ts';

const keyOf = ({ templateId, version }: ShownVersion) => `${templateId}:${version}`;

/** Longer definitions are read without the parts that no search shows: a project can have hundreds of them. */
const WHOLE_CHARS_MAX = 50_000;
const { definition: DEFINITION } = templateVersions;
const WITHOUT_MAILS = ['passCreationNotification', 'adHoc'].map((one) => `'$.sendoutOptions.${one}.emailTemplate', ''`);
const SHORT = sql`json_replace(${DEFINITION}, ${sql.raw(WITHOUT_MAILS.join())}, '$.validValidationPlaces', json('[]'),
  '$.additionalProperties', (select json_group_array(json_remove(value, '$.options'))
    from json_each(${DEFINITION}, '$.additionalProperties')))`;

const shortId = (templateId: string) => `${templateId}:short`;

const cached = ({ templateId, version }: ShownVersion) =>
  cachedDefinition(templateId, version) ?? cachedDefinition(shortId(templateId), version);

/**
 * Returns a lookup of definitions. Reads those that this isolate hasn't cached in one round trip. The lookup throws for
 * a missing definition.
 */
async function getDefinitions(
  ctx: AccountContext,
  names: ShownVersion[],
): Promise<(name: ShownVersion) => StoredDefinition> {
  const known = new Map(names.map((name) => [keyOf(name), cached(name)]));
  const wanted = names.filter((name) => !known.get(keyOf(name)));
  if (wanted.length > 0) {
    const rows = await definitionsQuery(ctx, wanted);
    for (const row of rows) known.set(keyOf(row), row.definition);
    keep(rows);
  }
  return (name) => {
    const definition = known.get(keyOf(name));
    if (!definition) throw missingDefinition(name.templateId, name.version);
    return definition;
  };
}

function definitionsQuery({ db }: Pick<AccountContext, 'db'>, wanted: ShownVersion[]) {
  const { templateId, version, definition } = templateVersions;
  const names = wanted.map((name) => [name.templateId, name.version]);
  const isWhole = sql`length(${definition}) <= ${WHOLE_CHARS_MAX}`;
  return db
    .select({
      templateId,
      version,
      isWhole: isWhole.mapWith(Boolean).as('is_whole'),
      definition: sql`iif(${isWhole}, ${definition}, ${SHORT})`.mapWith(definition).as('definition'),
    })
    .from(sql`json_each(${JSON.stringify(names)}) as wanted`)
    .innerJoin(templateVersions, and(sql`${templateId} = wanted.value ->> 0`, sql`${version} = wanted.value ->> 1`));
}

function keep(rows: Awaited<ReturnType<typeof definitionsQuery>>): void {
  for (const { templateId, version, isWhole, definition } of rows)
    cacheDefinition(isWhole ? templateId : shortId(templateId), version, definition);
}

/**
 * Maximum number of definitions that are read ahead, before it is known whether a pass shows them; each has a few
 * kilobytes.
 */
const AHEAD_MAX = 10;

/** Caches the published definitions if there are few: passes usually show those, and `withDefinitions` needs them. */
export function publishedPart(ctx: AccountContext, { templates }: Scope): BatchPart<void> {
  const wanted = templates
    .map(({ id, publishedVersion }) => ({ templateId: id, version: publishedVersion }))
    .filter((name) => !cached(name));
  if (wanted.length === 0 || wanted.length > AHEAD_MAX) return { queries: [], read: () => undefined };
  return { queries: [definitionsQuery(ctx, wanted)], read: ([rows]) => keep(rows as Parameters<typeof keep>[0]) };
}

/**
 * Returns the newest definition of each template, then the published one if it differs. Both name properties for
 * queries.
 */
export async function getScopeDefinitions(ctx: AccountContext, scope: Scope): Promise<Map<string, StoredDefinition[]>> {
  const names = scope.templates.map(({ id, version, publishedVersion }) =>
    [...new Set([version, publishedVersion])].map((one) => ({ templateId: id, version: one })),
  );
  const definitionOf = await getDefinitions(ctx, names.flat());
  return new Map(scope.templates.map(({ id }, i) => [id, names[i]!.map(definitionOf)]));
}

/** Returns the passes of these templates, each with the definition that it shows. */
export async function withDefinitions(
  ctx: AccountContext,
  templates: Pick<ScopeTemplate, 'id' | 'publishedVersion'>[],
  passes: Pass[],
): Promise<{ pass: Pass; version: number; definition: StoredDefinition }[]> {
  const published = new Map(templates.map(({ id, publishedVersion }) => [id, publishedVersion]));
  const shown = passes.map((pass) => ({
    pass,
    templateId: pass.templateId,
    version: Math.max(pass.templateVersion, published.get(pass.templateId) ?? 0),
  }));
  const definitionOf = await getDefinitions(ctx, shown);
  return shown.map((one) => ({ pass: one.pass, version: one.version, definition: definitionOf(one) }));
}
