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
 * Moves a pass to another template of its project. Throws not found for an unknown pass or target, and `invalid` saying
 * which requirement is not met: the pass is part of a project, the target is in the same one, both sign with the same
 * certificate.
 */
export async function movePass(ctx: AccountContext, name: string, targetId: string): Promise<void> {
  const first = await getDefinedPass(ctx, name);
  const target = await getMoveTarget(ctx, targetId);
  const decide = (found: DefinedPass): NextState => {
    const { projectId } = found.template;
    if (!projectId) throw invalid('The pass is not part of a project');
    if (target.template.projectId !== projectId) throw invalid('The target template is not in the project of the pass');
    if (target.template.id === found.pass.templateId) return { pass: found.pass };
    if (!signsAlike(found, target)) throw invalid('The two templates do not use the same signing certificate');
    return movedState(found, found.pass, target);
  };
  await changePass(ctx, first.pass.id, decide, { first });
}

/** A template to which passes move, and the certificates among which it chooses as theirs does. */
export interface MoveTarget extends DefinedTemplate {
  certificates: Certificate[];
}

/** The template of the account with its newest definition, to move passes to; throws not found. */
export async function getMoveTarget(ctx: AccountContext, templateId: string): Promise<MoveTarget> {
  const [[row], certificates] = await ctx.db.batch([
    newestDefinitionQuery(ctx, templateId),
    signingCertificateQuery(ctx.db, ctx.account.id),
  ]);
  return { ...toDefinedTemplate(row), certificates };
}

/** Whether a pass stays the same pass for phones in another template: they know it by what signs it. */
export function signsAlike({ definition }: DefinedPass, target: MoveTarget): boolean {
  const [from, to] = [definition, target.definition].map(({ passTypeId }) =>
    chooseCertificate(target.certificates, passTypeId),
  );
  return from?.passTypeId === to?.passTypeId;
}

/**
 * The state of a pass in another template: values of properties follow by ID or by name, and what the target does not
 * know is kept for a way back; flight fields follow where they belong. The target is another template than that of the
 * pass, and signs alike. Throws `invalid` naming what the target requires and the pass lacks.
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
 * The values that follow, as the target's types take them. What the template that is left knows counts as it is now,
 * also when it is empty; a value from an earlier stay counts only where it knows none. Throws `invalid` naming each
 * value that does not fit.
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

/**
 * The statement that reads the templates of the project of a pass, where it can move; none when it is part of no
 * project.
 */
export function moveTargetsQuery(ctx: AccountContext, passId: string) {
  const project = sql`(select ${templates.projectId} from ${templates} join ${passes} on ${passes.templateId} = ${templates.id}
    where ${isOwnPass(ctx.account.id, passId)})`;
  return ctx.db
    .select({ id: templates.id, name: templates.name })
    .from(templates)
    .where(and(eq(templates.accountId, ctx.account.id), sql`project_id = ${project}`))
    .orderBy(asc(templates.id));
}
