import * as z from 'zod';
import { EVERY_SCOPE, type Scopes } from '../api-keys/scopes.ts';

/** What a member of an account may do. `owner` may do everything. */
export const PRIVILEGES = [
  'owner',
  'api_keys.manage',
  'templates.edit',
  'passes.edit',
  'scan',
  'personal_data',
  'read',
] as const;

export const Privilege = z.enum(PRIVILEGES, `must be one of ${PRIVILEGES.join(', ')}`);
export type Privilege = z.infer<typeof Privilege>;

/** Whether a member with these privileges may do what `needed` stands for; every member may read. */
export function hasPrivilege(privileges: readonly string[], needed: Privilege): boolean {
  return needed === 'read' || privileges.includes('owner') || privileges.includes(needed);
}

const SCOPES_OF_PRIVILEGE: Record<Privilege, Scopes> = {
  owner: [EVERY_SCOPE],
  'api_keys.manage': ['keys:manage'],
  'templates.edit': ['templates:write'],
  'passes.edit': ['passes:write', 'messages:send'],
  scan: ['scans:write'],
  personal_data: ['passes:read'],
  read: ['templates:read', 'scans:read'],
};

/** Scopes whose replies hold PINs and recipients. */
const PERSONAL: readonly string[] = ['passes:read', 'passes:write'] satisfies Scopes;

/** The scopes that a member may give to a key: those of every privilege that the member has. Every member may read. */
export function scopesOfMember(privileges: readonly string[]): Scopes {
  const own = ['read', ...privileges].flatMap((privilege) => SCOPES_OF_PRIVILEGE[privilege as Privilege] ?? []);
  if (own.includes(EVERY_SCOPE)) return [EVERY_SCOPE];
  const seesPersonalData = privileges.includes('personal_data');
  return [...new Set(own)].filter((scope) => seesPersonalData || !PERSONAL.includes(scope));
}
