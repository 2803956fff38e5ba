import { includesRange } from '../../platform/ip-ranges.ts';
import { DomainError, fieldIssue, type Issue } from '../errors.ts';
import { EVERY_SCOPE, type Scopes, scopesBeyond } from './scopes.ts';

/** The rights of a key: its scopes, templates, addresses and expiry. */
export interface KeyRights {
  scopes: Scopes;
  /** Null: all templates. */
  templateIds: readonly string[] | null;
  /** Addresses and CIDR ranges; null: all addresses. */
  allowedIps: readonly string[] | null;
  /** UTC milliseconds; null: never. */
  expiresAt: number | null;
}

/** Rights without limits. */
export const ALL_RIGHTS: KeyRights = { scopes: [EVERY_SCOPE], templateIds: null, allowedIps: null, expiresAt: null };

/** Whether a key may do everything in its account, wherever it is used. */
export function isUnlimited({ scopes, templateIds }: KeyRights): boolean {
  return scopes.includes(EVERY_SCOPE) && templateIds === null;
}

/** Throws `forbidden` for a key with rights beyond `own`: whoever creates or changes it would gain them. */
export function refuseBeyond(own: KeyRights, wanted: KeyRights): void {
  const issues = issuesBeyond(own, wanted);
  if (issues.length > 0) throw new DomainError('forbidden', issues);
}

function issuesBeyond(own: KeyRights, wanted: KeyRights): Issue[] {
  const scopes = scopesBeyond(own.scopes, wanted.scopes);
  const { templateIds, allowedIps, expiresAt } = own;
  const isTemplateBeyond = templateIds && !wanted.templateIds?.every((id) => templateIds.includes(id));
  const isAddressBeyond = allowedIps && !wanted.allowedIps?.every((ip) => isAllowed(allowedIps, ip));
  const isTimeBeyond = expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > expiresAt);
  return [
    ...(scopes.length > 0 ? [fieldIssue('scopes', `you don’t have these scopes yourself: ${scopes.join(', ')}`)] : []),
    ...(isTemplateBeyond ? [fieldIssue('templateIds', 'must be among the templates of your own key')] : []),
    ...(isAddressBeyond ? [fieldIssue('allowedIps', 'must be within the addresses of your own key')] : []),
    ...(isTimeBeyond ? [fieldIssue('expiresAt', 'must not be after the expiry of your own key')] : []),
  ];
}

/** Whether an address or range is within one of the list. */
export function isAllowed(allowedIps: readonly string[], address: string): boolean {
  return allowedIps.some((range) => includesRange(range, address));
}
