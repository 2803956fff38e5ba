import * as z from 'zod';

/** What a key may do. A `:write` scope includes the `:read` scope of the same resource. */
export const SCOPES = [
  'passes:read',
  'passes:write',
  'templates:read',
  'templates:write',
  'scans:read',
  'scans:write',
  'messages:send',
  'webhooks:manage',
  'customers:manage',
  'persons:manage',
  'keys:manage',
  'audit:read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** All that there is, and all that will be added. */
export const EVERY_SCOPE = '*';

/** A list of scopes, each once, or only `*`. */
export const Scopes = z
  .array(z.enum([...SCOPES, EVERY_SCOPE], `must be one of ${SCOPES.join(', ')}, or only ${EVERY_SCOPE}`))
  .min(1, `must name a scope, or ${EVERY_SCOPE}`)
  .transform((scopes) => [...new Set(scopes)])
  .refine((scopes) => scopes.length === 1 || !scopes.includes(EVERY_SCOPE), `must be scopes, or only ${EVERY_SCOPE}`);
export type Scopes = z.output<typeof Scopes>;

/** Whether `granted` includes a scope: by its name, by the `:write` of its resource, or by `*`. */
export function grants(granted: readonly string[], needed: Scope | typeof EVERY_SCOPE): boolean {
  if (granted.includes(EVERY_SCOPE) || granted.includes(needed)) return true;
  return needed.endsWith(':read') && granted.includes(needed.replace(/read$/, 'write'));
}

/** The scopes of `wanted` that go beyond `granted`. */
export function scopesBeyond(granted: readonly string[], wanted: Scopes): Scopes {
  return wanted.filter((scope) => !grants(granted, scope));
}
