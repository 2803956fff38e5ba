import * as z from 'zod';
import { EVERY_SCOPE, PERSONAL_SCOPES, SCOPES_OF_PRIVILEGE, type Scopes } from '../api-keys/scopes.ts';

export type Privilege = keyof typeof SCOPES_OF_PRIVILEGE;

/** Privileges of a member of an account. `owner` includes all others. */
export const PRIVILEGES = Object.keys(SCOPES_OF_PRIVILEGE) as Privilege[];

export const Privilege = z.enum(PRIVILEGES, `must be one of ${PRIVILEGES.join(', ')}`);

/** Whether a member with these privileges has `needed`; every member may read. */
export function hasPrivilege(privileges: readonly string[], needed: Privilege): boolean {
  return needed === 'read' || privileges.includes('owner') || privileges.includes(needed);
}

/** Returns the scopes that a member may give to a key: those of all the member's privileges. Every member may read. */
export function scopesOfMember(privileges: readonly string[]): Scopes {
  const own = ['read', ...privileges].flatMap((privilege) => SCOPES_OF_PRIVILEGE[privilege as Privilege] ?? []);
  if (own.includes(EVERY_SCOPE)) return [EVERY_SCOPE];
  const canSeePersonalData = privileges.includes('personal_data');
  return [...new Set(own)].filter((scope) => canSeePersonalData || !PERSONAL_SCOPES.includes(scope));
}
