/**
 * The single table of scopes, which routes, forms, pages and the contract read. A `:write` scope includes the `:read`
 * scope of the same resource. `does` completes "The key can …". Browsers load this module, too.
 */
const TABLE = {
  'passes:read': { meaning: 'Read and search passes, bundles and processes.', does: 'read passes' },
  'passes:write': {
    meaning: 'Create, update, void and delete passes. Includes reading them.',
    does: 'create, change and delete passes',
  },
  'templates:read': { meaning: 'Read templates and projects.', does: 'read templates' },
  'templates:write': {
    meaning: 'Create, update, publish and delete templates. Includes reading them.',
    does: 'create, change and delete templates',
  },
  'scans:read': { meaning: 'Read app configurations and scans.', does: 'read scans' },
  'scans:write': {
    meaning: 'Record scans, change app configurations and their links. Includes reading them.',
    does: 'record scans',
  },
  'messages:send': { meaning: 'Send push notifications and e-mails.', does: 'send messages' },
  'webhooks:manage': { meaning: 'Subscribe to events, read and resend deliveries.', does: 'manage webhooks' },
  'customers:manage': { meaning: 'Create sub-customers.', does: 'create sub-customers' },
  'persons:manage': { meaning: 'Export and erase the data of a person.', does: 'export and erase personal data' },
  'keys:manage': { meaning: 'Create, change, rotate and delete API keys.', does: 'manage API keys' },
  'audit:read': { meaning: 'Read the audit log.', does: 'read the audit log' },
} as const satisfies Record<string, { meaning: string; does: string }>;

export type Scope = keyof typeof TABLE;
export const SCOPES = Object.keys(TABLE) as Scope[];

/** All scopes, including future ones. */
export const EVERY_SCOPE = '*';

/** Returns what a scope allows, as a sentence. */
export function meaningOf(scope: Scope): string {
  return TABLE[scope].meaning;
}

/** Distinct scopes, or only `*`. */
export type Scopes = (Scope | typeof EVERY_SCOPE)[];

/** The scopes that each privilege lets a member grant to keys. */
export const SCOPES_OF_PRIVILEGE = {
  owner: [EVERY_SCOPE],
  'api_keys.manage': ['keys:manage'],
  'templates.edit': ['templates:write'],
  'passes.edit': ['passes:write', 'messages:send'],
  scan: ['scans:write'],
  personal_data: ['passes:read'],
  read: ['templates:read', 'scans:read'],
} as const satisfies Record<string, Scopes>;

/**
 * Scopes that give access to personal data: only members who can see it can grant them. Replies about scans contain
 * values of passes, and a message can send a pass to any address.
 */
export const PERSONAL_SCOPES: readonly string[] = [
  'passes:read',
  'passes:write',
  'scans:read',
  'scans:write',
  'messages:send',
] satisfies Scopes;

/** Whether `granted` includes a scope: by its name, by the `:write` of its resource, or by `*`. */
export function grants(granted: readonly string[], needed: Scope | typeof EVERY_SCOPE): boolean {
  return granted.includes(EVERY_SCOPE) || granted.includes(needed) || granted.includes(broaderScope(needed));
}

/** Returns the `:write` scope that includes a `:read` scope; otherwise the scope itself. */
export function broaderScope(scope: string): string {
  return scope.replace(/:read$/, ':write');
}

/** Returns the scopes of `wanted` that `granted` does not include. */
export function scopesBeyond(granted: readonly string[], wanted: Scopes): Scopes {
  return wanted.filter((scope) => !grants(granted, scope));
}

/** Returns what a key with these scopes can do, to complete "The key can …". Omits scopes that another one includes. */
export function abilitiesOf(scopes: Scopes): string {
  if (scopes.includes(EVERY_SCOPE)) return 'do everything';
  const includes = (scope: Scope) =>
    scope.endsWith(':read') && scopes.includes(scope.replace(/read$/, 'write') as Scope);
  const named = SCOPES.filter((scope) => scopes.includes(scope) && !includes(scope));
  return new Intl.ListFormat('en').format(named.map((scope) => TABLE[scope].does));
}
