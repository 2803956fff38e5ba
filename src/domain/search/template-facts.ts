import { and, eq, gte, sql } from 'drizzle-orm';
import type { BatchPart } from '../../platform/batch-part.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../certificates/find-google-issuer.ts';
import type { AccountContext } from '../context.ts';
import { fold, templateTerm } from '../passes/search-index/search-terms.ts';
import type { Pass } from '../passes/table.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { cacheDefinition, cachedDefinition, missingDefinition } from '../templates/get-template.ts';
import { templates, templateVersions } from '../templates/table.ts';
import { type SearchContext, select } from './conditions.ts';
import { meaningOf, type TemplateFact } from './fields.ts';
import { Operands, some } from './operands.ts';
import type { Condition } from './query.ts';
import { anyOf, NAMED_TEMPLATES_MAX, type Scope, type ScopeTemplate } from './scope.ts';
import { NOTHING, type Selection, type WordSelection } from './selection.ts';

/** Prefix of every save link. The rest differs at each reading, so a save link is searched by its prefix. */
const SAVE_ADDRESS = 'https://pay.google.com/gp/v/save/';

/** A version of a template that passes show. */
export interface ShownVersion {
  templateId: string;
  version: number;
}

interface Version extends ShownVersion {
  text: string | null;
}

/**
 * Selects by a text that all passes with the same template version share: first the versions, then the passes that show
 * them. Two round trips, whose rows are the versions.
 */
export async function selectByTemplate(
  ctx: AccountContext,
  scope: Scope,
  condition: Condition,
  fact: TemplateFact,
  { operands, gramScope }: SearchContext,
): Promise<Selection> {
  const versions = await listVersions(ctx, scope, fact);
  const own = new Operands();
  const shown = own.each(versions.map(({ text }) => [text]));
  const meaning = { ...meaningOf('text'), text: sql`(shown.value ->> 0)` };
  const { check } = select(condition, [meaning], { operands: own, gramScope });
  const rows = await rawStatement<{ place: number }>(
    ctx.db,
    sql`${own.common} select shown.key as place from ${shown} as shown where ${check}`,
  );
  const selected = new Set(rows.map(({ place }) => versions[place]));
  return selectVersions(
    scope,
    Map.groupBy(versions, ({ templateId }) => templateId),
    selected,
    operands,
  );
}

async function listVersions(ctx: AccountContext, scope: Scope, fact: TemplateFact): Promise<Version[]> {
  if (fact === 'templateId') {
    return scope.templates.map(({ id, publishedVersion }) => ({ templateId: id, version: publishedVersion, text: id }));
  }
  const [rows, issuers] = await ctx.db.batch([
    shownVersionsQuery(ctx, scope.templates),
    googleIssuerQuery(ctx.db, ctx.account.id),
  ]);
  const hasIssuer = chooseGoogleIssuer(issuers) !== undefined;
  return rows.map((row) => ({
    templateId: row.templateId,
    version: row.version,
    text: fact === 'passTemplateName' ? fold(row.name) : hasIssuer && row.google ? SAVE_ADDRESS : null,
  }));
}

/** Selects the versions of templates that passes show or may show, with the data that search needs. */
export function shownVersionsQuery(ctx: AccountContext, of: ScopeTemplate[]) {
  const ids = JSON.stringify(of.map(({ id }) => id));
  const { templateId, version, definition } = templateVersions;
  return ctx.db
    .select({
      templateId,
      version,
      name: sql<string>`${definition} ->> '$.name'`,
      google: sql<number>`${definition} ->> '$.walletApps.google'`,
      expiration: sql<string | null>`${definition} -> '$.expiration'`,
      timezone: sql<string | null>`${definition} ->> '$.timezone'`,
    })
    .from(sql`json_each(${ids}) as wanted`)
    .innerJoin(templates, and(eq(templates.id, sql`wanted.value`), eq(templates.accountId, ctx.account.id)))
    .innerJoin(templateVersions, and(eq(templateId, templates.id), gte(version, templates.publishedVersion)));
}

/** Selects the passes that show one of the selected versions. */
export function selectVersions(
  scope: Scope,
  versions: Map<string, ShownVersion[]>,
  selected: Set<ShownVersion | undefined>,
  operands: Operands,
): Selection {
  const whole: string[] = [];
  const parts: [templateId: string, published: number, version: number][] = [];
  for (const { id, publishedVersion } of scope.templates) {
    const of = versions.get(id) ?? [];
    const chosen = of.filter((version) => selected.has(version));
    if (chosen.length === of.length) whole.push(id);
    else parts.push(...chosen.map(({ version }) => [id, publishedVersion, version] as (typeof parts)[number]));
  }
  const showsPart = sql`exists (select 1 from ${operands.each(parts)} as part where part.value ->> 0 = passes.template_id
    and part.value ->> 2 = max(passes.template_version, part.value ->> 1))`;
  return {
    check: some([sql`passes.template_id in ${operands.list(whole)}`, ...(parts.length > 0 ? [showsPart] : [])]),
    words: wordsOf([...new Set([...whole, ...parts.map(([id]) => id)])], parts.length === 0),
  };
}

function wordsOf(templateIds: string[], isExact: boolean): WordSelection | undefined {
  if (templateIds.length === 0) return NOTHING;
  if (templateIds.length > NAMED_TEMPLATES_MAX) return undefined;
  const words = templateIds.map(templateTerm);
  return {
    match: anyOf(words),
    isExact,
    isScoped: true,
    spans: isExact ? words.map((word) => [word, word]) : undefined,
  };
}

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
