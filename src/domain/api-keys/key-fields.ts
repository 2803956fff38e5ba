import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { parseDate, parseIso } from '../../platform/dates.ts';
import { isIpRange } from '../../platform/ip-ranges.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, fieldIssue, invalid, invalidField } from '../errors.ts';
import { AnyText, DATE_HINT, ISO_HINT } from '../fields.ts';
import { templateIdNamed } from '../template-restriction.ts';
import type { KeyRights } from './rights.ts';
import { EVERY_SCOPE, SCOPES, type Scopes } from './scopes.ts';

const KEY_NAME_CHARS_MAX = 100;
export const KEY_TEMPLATES_MAX = 100;
export const KEY_ADDRESSES_MAX = 20;

const IP_HINT = 'must be an IPv4 or IPv6 address or a CIDR range such as 203.0.113.0/24';

export const ApiKeyName = AnyText.pipe(z.string().trim().min(1, 'must not be empty').max(KEY_NAME_CHARS_MAX));

/** A list of scopes, each once, or only `*`. */
export const KeyScopes = z
  .array(z.enum([...SCOPES, EVERY_SCOPE], `must be one of ${SCOPES.join(', ')}, or only ${EVERY_SCOPE}`))
  .min(1, `must name a scope, or ${EVERY_SCOPE}`)
  .transform((scopes): Scopes => [...new Set(scopes)])
  .refine(
    (scopes) => scopes.length === 1 || !scopes.includes(EVERY_SCOPE),
    `must be a list of scopes, or only ${EVERY_SCOPE}`,
  );

/** Names or identifiers of the templates that a key is restricted to; null: all. */
export const KeyTemplates = z
  .array(AnyText)
  .min(1, 'must name a template, or be null for all')
  .max(KEY_TEMPLATES_MAX)
  .transform((names) => [...new Set(names)])
  .nullable();

/** Addresses and ranges that a key may be used from; null: all. */
export const KeyAddresses = z
  .array(AnyText.pipe(z.string().trim().toLowerCase().refine(isIpRange, IP_HINT)))
  .min(1, 'must name an address, or be null for all')
  .max(KEY_ADDRESSES_MAX)
  .transform((ranges) => [...new Set(ranges)])
  .nullable();

/** When a key expires; null: never. UTC milliseconds. */
export const KeyExpiry = z
  .string()
  .refine((text) => parseIso(text) !== undefined, ISO_HINT)
  .transform((text) => parseIso(text)!)
  .meta({ format: 'date-time' })
  .nullable();

/**
 * Returns the identifiers of the templates in `names`. One round trip. Throws `invalid` for templates that don't exist,
 * except those in `kept`, which were deleted since the key got them.
 */
export async function findKeyTemplates(
  ctx: AccountContext,
  names: readonly string[] | null,
  own: KeyRights,
  kept: readonly string[] = [],
): Promise<string[] | null> {
  if (names === null) return null;
  const rows = await rawStatement<{ name: string; id: string | null }>(
    ctx.db,
    sql`select named.value as name, ${templateIdNamed(ctx, sql`named.value`)} as id
      from json_each(${JSON.stringify(names)}) as named order by named.key`,
  );
  const ids = rows.map(({ name, id }) => id ?? kept.find((one) => one === name));
  const unknown = rows.filter((_, i) => ids[i] === undefined);
  // A restricted key must not learn whether other templates exist.
  if (unknown.length > 0 && own.templateIds)
    throw new DomainError('forbidden', fieldIssue('templateIds', 'must be among the templates of your own key'));
  if (unknown.length > 0)
    throw invalid(unknown.map(({ name }) => fieldIssue('templateIds', `"${name}" is not a template of this account`)));
  return [...new Set(ids as string[])];
}

/** Throws `invalid` for an expiry in the past. */
export function refuseExpired(expiresAt: number | null): void {
  if (expiresAt !== null && expiresAt <= Date.now()) throw invalidField('expiresAt', 'must not be in the past');
}

/**
 * Returns the time at which a day (`Y-m-d`) ends in the account's time zone. Throws `invalid` for a day that is over.
 */
export function endOf(day: string, timezone: string): number {
  const begin = parseDate(day, timezone);
  if (begin === undefined) throw invalidField('lastDay', DATE_HINT);
  const next = new Date(`${day}T00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  const end = parseDate(next.toISOString().slice(0, 10), timezone)!;
  if (end <= Date.now()) throw invalidField('lastDay', 'must not be in the past');
  return end;
}
