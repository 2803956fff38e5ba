import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { type DomainError, fieldIssue, type Issue, invalid, notFound } from '../errors.ts';
import { BUNDLE_PASSES_MAX } from '../limits.ts';
import type { Quota } from '../quotas/table.ts';
import { quotaExceeded } from '../quotas/use.ts';
import { isOwnTemplate } from '../template-names.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { templates } from '../templates/table.ts';
import { hasNoneBeyond } from './bundle-link.ts';
import { TEMPLATE_STANDS } from './find-pass.ts';
import { isNamedIn } from './own-pass.ts';
import { type Pass, passes } from './table.ts';

/** A rule that must hold in the very statement that writes the pass, so that it holds when requests race. */
export interface Rule {
  holds: SQL;
  /** The error if it doesn't hold. */
  issue: Issue;
  /** What the write stands on: the refusal is "not found" when it is gone. */
  isGround?: true;
  /** A quota of the account, whose refusal is no fault of the request. */
  quota?: Quota;
}

/** What decides which rules a write must meet. */
export interface RuledWrite {
  pass: Pass;
  definition: StoredDefinition;
  /** Whether the caller asked for a userProvidedId that is unique in the account. */
  uniqueInAccount: boolean;
  /**
   * Whether the pass enters its template (a create, a move), its bundle or takes its userProvidedId with this write.
   */
  entersTemplate: boolean;
  entersBundle: boolean;
  takesName: boolean;
  /** The value from which on the tier holds that moves the pass to its template. */
  tierFrom?: number;
}

/** The rules of the account, the template and the bundle for one write of a pass; a pass is never in its own way. */
export function rulesOf(ctx: AccountContext, write: RuledWrite): Rule[] {
  const { pass, definition, takesName } = write;
  const rules: Rule[] = write.entersTemplate ? [templateStands(ctx, pass)] : [];
  const isOther = ne(passes.id, pass.id);
  const mine = and(eq(passes.accountId, ctx.account.id), isOther);
  const others = (condition: SQL | undefined) =>
    sql`not exists (select 1 from ${passes} where ${and(isNamedIn(ctx.account.id), isOther, eq(passes.userProvidedId, pass.userProvidedId ?? ''), condition)})`;
  if (takesName && pass.userProvidedId && write.uniqueInAccount) {
    rules.push({
      holds: others(TEMPLATE_STANDS),
      issue: fieldIssue('userProvidedId', 'is already used in this account; it must be unique'),
    });
  }
  if (takesName && pass.userProvidedId && definition.enforceUniqueUserProvidedId) {
    rules.push({
      holds: others(eq(passes.templateId, pass.templateId)),
      issue: fieldIssue('userProvidedId', 'is already used in this template; it must be unique'),
    });
  }
  if (write.entersTemplate && definition.maxPasses != null) {
    const count = sql`(select ${templates.passCount} from ${templates} where ${isOwnTemplate(ctx.account.id, pass.templateId)})`;
    rules.push({
      holds: sql`${count} < ${definition.maxPasses}`,
      issue: fullIssue(definition.name, definition.maxPasses, write.tierFrom),
    });
  }
  if (write.entersBundle && pass.bundleId) {
    rules.push(...bundleIsPermitted(ctx, pass.bundleId));
    const members = sql`(select count(*) from ${passes} where ${and(mine, eq(passes.bundleId, pass.bundleId), TEMPLATE_STANDS)})`;
    rules.push({
      holds: sql`${members} < ${BUNDLE_PASSES_MAX}`,
      issue: fieldIssue('bundleId', `the bundle already has ${BUNDLE_PASSES_MAX} passes, the maximum`),
    });
  }
  return rules;
}

/** A caller who has sent a value knows nothing of the template to which a tier moves the pass. */
function fullIssue(template: string, maxPasses: number, tierFrom?: number): Issue {
  return tierFrom === undefined
    ? fieldIssue('', `The maximum number of passes of this template (${maxPasses}) is reached`)
    : fieldIssue(
        'storedValue',
        `the tier from ${tierFrom} moves the pass to template ${template}, which already has its maximum of ${maxPasses} ${maxPasses === 1 ? 'pass' : 'passes'}`,
      );
}

/** A bundle with a pass outside is unknown to a key that is restricted to templates. */
function bundleIsPermitted(ctx: AccountContext, bundleId: string): Rule[] {
  const holds = hasNoneBeyond(ctx, bundleId);
  return holds ? [{ holds, issue: fieldIssue('bundleId', 'is unknown'), isGround: true }] : [];
}

/** A delete may come between reading the template and this. */
function templateStands(ctx: AccountContext, { templateId }: Pass): Rule {
  const holds = sql`exists (select 1 from ${templates} where ${isOwnTemplate(ctx.account.id, templateId)})`;
  return { holds, issue: fieldIssue('', 'The template does not exist'), isGround: true };
}

/**
 * Which rules refused a write; asked only after the fact, so that a write that is accepted costs nothing for it.
 * Undefined when all hold by now, because another pass has left between the two looks: a new attempt is due.
 */
export async function refusal(ctx: AccountContext, rules: Rule[]): Promise<DomainError | undefined> {
  const broken = rules.length > 0 ? await brokenRules(ctx, rules) : [];
  if (broken.length === 0) return undefined;
  if (broken.some((rule) => rule.isGround)) return notFound();
  const faults = broken.filter((rule) => !rule.quota);
  return faults.length > 0 ? invalid(faults.map(({ issue }) => issue)) : quotaExceeded(broken[0]!.quota!);
}

/**
 * Those of the rules that do not hold now; one round trip. A rule binds up to seven parameters, and a statement takes a
 * hundred.
 */
export async function brokenRules<R extends Rule>(ctx: AccountContext, rules: R[]): Promise<R[]> {
  return brokenAmong(rules, await rulesQuery(ctx, rules));
}

/** The statement behind `brokenRules`, for a batch with others; `brokenAmong` takes its rows. */
export function rulesQuery(ctx: AccountContext, rules: Rule[]) {
  const checks = rules.map((rule, i) => sql`(${rule.holds}) as ${sql.identifier(`rule_${i}`)}`);
  return rawStatement<Record<string, number>>(ctx.db, sql`select ${sql.join(checks, sql`, `)}`);
}

/** Those of the rules that did not hold when `rulesQuery` ran. */
export function brokenAmong<R extends Rule>(rules: R[], [row]: Record<string, number>[]): R[] {
  return rules.filter((_, i) => !row?.[`rule_${i}`]);
}
