import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { type DomainError, fieldIssue, type Issue, invalid, notFound } from '../errors.ts';
import { BUNDLE_PASSES_MAX } from '../limits.ts';
import type { Quota } from '../quotas/table.ts';
import { quotaExceeded } from '../quotas/use.ts';
import { isOwnTemplate } from '../template-restriction.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { templates } from '../templates/table.ts';
import { hasOnlyPermittedPasses } from './bundle-link.ts';
import { HAS_TEMPLATE } from './find-pass.ts';
import { isNamedIn } from './own-pass.ts';
import { type Pass, passes } from './table.ts';

/** Rule checked in the statement that writes the pass, so that it also holds for concurrent requests. */
export interface Rule {
  holds: SQL;
  /** The error if it doesn't hold. */
  issue: Issue;
  /** Whether the write depends on something that may be gone. The error is then "not found". */
  isNotFound?: true;
  /** Quota of the account. Its error isn't the request's fault. */
  quota?: Quota;
  /** The places of which the write takes one. */
  room?: Room;
  /** Where the userProvidedId of the pass must be unique. */
  name?: 'account' | 'template';
}

/** Places that several writes take from: of a template, a bundle, a quota or a range of numbers. */
export interface Room {
  /** Identifies the room within the account. */
  of: string;
  /** Builds the query of the number of free places; null: any number. */
  left: () => SQL;
}

/** Data that decides which rules apply to a write. */
export interface RuledWrite {
  pass: Pass;
  definition: StoredDefinition;
  /** Whether the caller asked for a userProvidedId that is unique in the account. */
  isUniqueInAccount: boolean;
  /** Whether this write puts the pass into its template (a create or move) or bundle, or assigns its userProvidedId. */
  isEnteringTemplate: boolean;
  isEnteringBundle: boolean;
  isClaimingName: boolean;
  /** Lowest stored value of the tier that moves the pass to its template. */
  tierFrom?: number;
}

/** Returns the rules of account, template and bundle for a write. A pass never conflicts with itself. */
export function rulesOf(ctx: AccountContext, write: RuledWrite): Rule[] {
  const { pass, definition, isClaimingName } = write;
  const { maxPasses } = definition;
  const rules: Rule[] = write.isEnteringTemplate ? [buildTemplateRule(ctx, pass)] : [];
  const isOther = ne(passes.id, pass.id);
  const mine = and(eq(passes.accountId, ctx.account.id), isOther);
  const others = (condition: SQL | undefined) =>
    sql`not exists (select 1 from ${passes} where ${and(isNamedIn(ctx.account.id), isOther, eq(passes.userProvidedId, pass.userProvidedId ?? ''), condition)})`;
  if (isClaimingName && pass.userProvidedId && write.isUniqueInAccount) {
    rules.push({
      holds: others(HAS_TEMPLATE),
      issue: fieldIssue('userProvidedId', 'is already used in this account; it must be unique'),
      name: 'account',
    });
  }
  if (isClaimingName && pass.userProvidedId && definition.enforceUniqueUserProvidedId) {
    rules.push({
      holds: others(eq(passes.templateId, pass.templateId)),
      issue: fieldIssue('userProvidedId', 'is already used in this template; it must be unique'),
      name: 'template',
    });
  }
  if (write.isEnteringTemplate && maxPasses != null) {
    const count = sql`(select ${templates.passCount} from ${templates} where ${isOwnTemplate(ctx.account.id, pass.templateId)})`;
    rules.push({
      holds: sql`${count} < ${maxPasses}`,
      issue: fullIssue(definition.name, maxPasses, write.tierFrom),
      room: { of: `template ${pass.templateId}`, left: () => sql`select ${maxPasses} - ${count}` },
    });
  }
  if (write.isEnteringBundle && pass.bundleId) {
    rules.push(...buildBundleRules(ctx, pass.bundleId));
    const members = sql`(select count(*) from ${passes} where ${and(mine, eq(passes.bundleId, pass.bundleId), HAS_TEMPLATE)})`;
    rules.push({
      holds: sql`${members} < ${BUNDLE_PASSES_MAX}`,
      issue: fieldIssue('bundleId', `the bundle already has ${BUNDLE_PASSES_MAX} passes, the maximum`),
      room: { of: `bundle ${pass.bundleId}`, left: () => sql`select ${BUNDLE_PASSES_MAX} - ${members}` },
    });
  }
  return rules;
}

/** Names tier and template if a tier moves the pass: a caller who sent only a value doesn't know the template. */
function fullIssue(template: string, maxPasses: number, tierFrom?: number): Issue {
  return tierFrom === undefined
    ? fieldIssue('', `The maximum number of passes of this template (${maxPasses}) is reached`)
    : fieldIssue(
        'storedValue',
        `the tier from ${tierFrom} moves the pass to template ${template}, which already has its maximum of ${maxPasses} ${maxPasses === 1 ? 'pass' : 'passes'}`,
      );
}

/** A bundle with passes of other templates is unknown to a restricted key. */
function buildBundleRules(ctx: AccountContext, bundleId: string): Rule[] {
  const holds = hasOnlyPermittedPasses(ctx, bundleId);
  return holds ? [{ holds, issue: fieldIssue('bundleId', 'is unknown'), isNotFound: true }] : [];
}

/** The template may be deleted between its read and this write. */
function buildTemplateRule(ctx: AccountContext, { templateId }: Pass): Rule {
  const holds = sql`exists (select 1 from ${templates} where ${isOwnTemplate(ctx.account.id, templateId)})`;
  return { holds, issue: fieldIssue('', 'The template does not exist'), isNotFound: true };
}

/**
 * Returns the error of the rules that refused a write. Called after the failure, so an accepted write costs nothing.
 * Undefined if all rules hold by now, for example because another pass left; the caller then retries.
 */
export async function refusal(ctx: AccountContext, rules: Rule[]): Promise<DomainError | undefined> {
  const broken = rules.length > 0 ? await brokenRules(ctx, rules) : [];
  if (broken.length === 0) return undefined;
  if (broken.some((rule) => rule.isNotFound)) return notFound();
  const faults = broken.filter((rule) => !rule.quota);
  return faults.length > 0 ? invalid(faults.map(({ issue }) => issue)) : quotaExceeded(broken[0]!.quota!);
}

/**
 * Returns the rules that don't hold now. One round trip. A rule binds up to seven parameters, a statement at most a
 * hundred.
 */
export async function brokenRules<R extends Rule>(ctx: AccountContext, rules: R[]): Promise<R[]> {
  return brokenAmong(rules, await rulesQuery(ctx, rules));
}

/** Builds the query of `brokenRules`, for a batch with others; `brokenAmong` reads its rows. */
export function rulesQuery(ctx: AccountContext, rules: Rule[]) {
  const checks = rules.map((rule, i) => sql`(${rule.holds}) as ${sql.identifier(`rule_${i}`)}`);
  return rawStatement<Record<string, number>>(ctx.db, sql`select ${sql.join(checks, sql`, `)}`);
}

/** Returns the rules that didn't hold when `rulesQuery` ran. */
export function brokenAmong<R extends Rule>(rules: R[], [row]: Record<string, number | null>[]): R[] {
  return rules.filter((_, i) => !row?.[`rule_${i}`]);
}

/** Builds the query of the free places of rooms; `leftIn` reads its row. It binds up to nine parameters a room. */
export function roomsQuery(ctx: AccountContext, rooms: Room[]) {
  const lefts = rooms.map(({ left }, i) => sql`(${left()}) as ${sql.identifier(`room_${i}`)}`);
  return rawStatement<Record<string, number | null>>(ctx.db, sql`select ${sql.join(lefts, sql`, `)}`);
}

/** Returns the free places of each room when `roomsQuery` ran. */
export function leftIn(rooms: Room[], [row]: Record<string, number | null>[]): (number | null)[] {
  return rooms.map((_, i) => row?.[`room_${i}`] ?? null);
}
