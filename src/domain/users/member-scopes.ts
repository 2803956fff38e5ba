import { EVERY_SCOPE, type Scopes } from '../api-keys/scopes.ts';
import type { Privilege } from './privileges.ts';

/** What a member with a privilege may give to a key. */
const SCOPES_OF_PRIVILEGE: Record<Privilege, Scopes> = {
  owner: [EVERY_SCOPE],
  'api_keys.manage': ['keys:manage'],
  'templates.edit': ['templates:write'],
  'passes.edit': ['passes:write', 'messages:send'],
  scan: ['scans:write'],
  read: ['passes:read', 'templates:read', 'scans:read'],
};

/** The scopes that a member may give to a key: those of every privilege that the member has. Every member may read. */
export function scopesOfMember(privileges: readonly string[]): Scopes {
  const own = ['read', ...privileges].flatMap((privilege) => SCOPES_OF_PRIVILEGE[privilege as Privilege] ?? []);
  return own.includes(EVERY_SCOPE) ? [EVERY_SCOPE] : [...new Set(own)];
}
