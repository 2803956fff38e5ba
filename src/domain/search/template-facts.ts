import { and, eq, gte, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../certificates/find-google-issuer.ts';
import type { AccountContext } from '../context.ts';
import { fold, templateTerm } from '../passes/search-index/search-terms.ts';
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
