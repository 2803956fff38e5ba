import { and, asc, eq, sql } from 'drizzle-orm';
import { chooseCertificate, signingCertificateQuery } from '../certificates/find-signing-certificate.ts';
import type { Certificate } from '../certificates/table.ts';
import type { AccountContext } from '../context.ts';
import { invalid } from '../errors.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { type DefinedTemplate, newestDefinitionQuery, toDefinedTemplate } from '../templates/get-template.ts';
import { templates } from '../templates/table.ts';
import { changePass, type NextState } from './change-pass.ts';
import { type DefinedPass, getDefinedPass } from './find-pass.ts';
import { isOwnPass } from './own-pass.ts';
import { type Pass, type PropertyValue, passes } from './table.ts';
import { readFlight } from './values/pass-values.ts';
import { completeProperties, readProperties, type SentProperties } from './values/property-values.ts';
import { isFlight } from './values/used-fields.ts';

/**
 * Moves a pass to another template of its project. Throws not found for an unknown pass or target. Throws `invalid` if
 * the pass is in no project, the target is in another one, or the signing certificates differ.
 */
export async function movePass(ctx: AccountContext, name: string, targetId: string): Promise<void> {
  const first = await getDefinedPass(ctx, name);
  const target = await getMoveTarget(ctx, targetId);
  const decide = (found: DefinedPass): NextState => {
    const { projectId } = found.template;
    if (!projectId) throw invalid('The pass is not part of a project');
    if (target.template.projectId !== projectId) throw invalid('The target template is not in the project of the pass');
    if (target.template.id === found.pass.templateId) return { pass: found.pass };
    if (!hasSameSigner(found, target)) throw invalid('The two templates do not use the same signing certificate');
    return movedState(found, found.pass, target);
  };
  await changePass(ctx, first.pass.id, decide, { first });
}

/** Target template of a move, with the certificates that its definition and the pass's choose from. */
export interface MoveTarget extends DefinedTemplate {
  certificates: Certificate[];
}

/** Returns the account's template with its newest definition, as the target of a move; throws not found. */
export async function getMoveTarget(ctx: AccountContext, templateId: string): Promise<MoveTarget> {
  const [[row], certificates] = await ctx.db.batch([
    newestDefinitionQuery(ctx, templateId),
    signingCertificateQuery(ctx.db, ctx.account.id),
  ]);
  return { ...toDefinedTemplate(row), certificates };
}

/** Whether phones recognize the pass after the move: they identify it by its pass type ID. */
export function hasSameSigner({ definition }: DefinedPass, target: MoveTarget): boolean {
  const [from, to] = [definition, target.definition].map(({ passTypeId }) =>
    chooseCertificate(target.certificates, passTypeId),
  );
  return from?.passTypeId === to?.passTypeId;
}

/**
 * Builds the state of a pass in another template. Property values follow by ID or name; values unknown to the target
 * are kept for a move back. Flight fields are kept only if the target is a flight. Throws `invalid` for missing
 * required values.
 */
export function movedState(found: DefinedPass, pass: Pass, target: MoveTarget): NextState {
  const { template, definition, version } = target;
  const moved = movedProperties(found.definition, definition, pass.properties);
  const known = new Set(definition.additionalProperties.map(({ id }) => id));
  const kept = Object.entries(pass.properties).filter(([id]) => !known.has(id));
  const properties = { ...Object.fromEntries(kept), ...completeProperties(definition, moved) };
  const flight = isFlight(definition) ? readFlight({ ...pass.flight }) : null;
  return {
    pass: { ...pass, templateId: template.id, templateVersion: version, properties, flight },
    target: { definition, version },
  };
}

/**
 * Returns the values that follow, in the types of the target. A property of the old template counts even if it is empty
 * now; a value from an earlier stay counts only if the old template has no such property. Throws `invalid` for each
 * value that doesn't fit.
 */
function movedProperties(
  from: StoredDefinition,
  to: StoredDefinition,
  values: Record<string, PropertyValue>,
): SentProperties {
  const known = from.additionalProperties;
  const named: Record<string, PropertyValue> = {};
  for (const { id, name } of to.additionalProperties) {
    const source = known.find((one) => one.id === id) ?? known.find((one) => one.name === name);
    const value = values[source?.id ?? id];
    if (value !== undefined) named[id] = value;
  }
  return readProperties(to, named, (property) => property.name);
}

/** Builds the query of the templates in the pass's project, its possible targets; no rows if it has no project. */
export function moveTargetsQuery(ctx: AccountContext, passId: string) {
  const project = sql`(select ${templates.projectId} from ${templates} join ${passes} on ${passes.templateId} = ${templates.id}
    where ${isOwnPass(ctx.account.id, passId)})`;
  return ctx.db
    .select({ id: templates.id, name: templates.name })
    .from(templates)
    .where(and(eq(templates.accountId, ctx.account.id), sql`project_id = ${project}`))
    .orderBy(asc(templates.id));
}
