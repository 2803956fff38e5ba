import { z } from 'zod';

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
