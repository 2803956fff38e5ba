import { eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import * as z from 'zod';
import { rowValues } from '../../platform/raw-statement.ts';
import { forwardOwnEntries } from '../audit/forward-entries.ts';
import { recordPersonAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import { type Context, inDirectory } from '../context.ts';
import { AnyText } from '../fields.ts';
import { keepAddress } from '../public-address.ts';
import { SETTINGS_ID, serviceSettings } from './table.ts';

const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const ADDRESS_CHARS_MAX = 300;
export const ADDRESS_HINT = 'must be an https address without a path, such as https://passes.example.com';

/** Returns the origin in a text, if links may begin with it: https, or http on the machine itself. */
export function publicOrigin(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (url?.username !== '' || url.password !== '' || /[?#]/.test(text) || url.pathname !== '/') return undefined;
  const isLocal = url.protocol === 'http:' && LOCAL_NAMES.includes(url.hostname);
  return url.protocol === 'https:' || isLocal ? url.origin : undefined;
}

const NewAddress = z.object({
  baseUrl: AnyText.pipe(
    z
      .string()
      .max(ADDRESS_CHARS_MAX)
      .refine((text) => publicOrigin(text) !== undefined, ADDRESS_HINT),
  ),
});

/** The address that links begin with, and its source; null: each link begins with the origin of its request. */
export interface ServiceAddress {
  baseUrl: string | null;
  source: 'BASE_URL' | 'settings' | null;
  /** The address in the settings, even if BASE_URL overrides it. */
  stored: string | null;
}

/** Returns the address of the service. One round trip. */
export async function getServiceAddress(ctx: Context): Promise<ServiceAddress> {
  const [row] = await inDirectory(ctx).db.select().from(serviceSettings).where(eq(serviceSettings.id, SETTINGS_ID));
  const stored = row?.baseUrl ?? null;
  const { BASE_URL } = ctx.env;
  if (BASE_URL) return { baseUrl: BASE_URL, source: 'BASE_URL', stored };
  return { baseUrl: stored, source: stored === null ? null : 'settings', stored };
}

/**
 * Sets the address that links begin with; other isolates follow within 30 seconds. If it changes, the operator's
 * accounts get an entry in their audit logs. Throws `invalid` for anything but an origin that a browser could trust.
 */
export async function changeAddress(ctx: Context, input: z.input<typeof NewAddress>, userId?: string): Promise<string> {
  const given: string = checked(NewAddress, input).baseUrl;
  const baseUrl = publicOrigin(given)!;
  const directory = inDirectory(ctx);
  const stored = sql`(select base_url from ${serviceSettings} where id = ${SETTINGS_ID})`;
  const change = sql`json_array(json_object('field', 'baseUrl', 'old', ${stored}, 'new', ${baseUrl}))`;
  const action = { action: 'service.change_address', changes: change } as const;
  // Before the change, because the entry has the old value.
  const entries = userId ? [recordPersonAction(directory, action, userId, sql`${stored} is not ${baseUrl}`)] : [];
  const set = directory.db
    .insert(serviceSettings)
    .values({ id: SETTINGS_ID, baseUrl })
    .onConflictDoUpdate({ target: serviceSettings.id, set: { baseUrl } });
  await directory.db.batch([set, ...entries].reverse() as [typeof set]);
  keepAddress(ctx.env, baseUrl);
  await forwardOwnEntries(directory);
  return baseUrl;
}

/** SQL that is true once somebody has set up the service. */
export const IS_SET_UP = sql`exists (select 1 from ${serviceSettings} where ${isNotNull(serviceSettings.setUpAt)})`;

/**
 * Builds the statement that records the set-up if `isCreated`, with the address at which it took place unless an
 * operator has chosen one.
 */
export function noteSetUp(ctx: Context, { now, baseUrl }: { now: number; baseUrl: string }, isCreated: SQL) {
  const row = rowValues(serviceSettings, { id: SETTINGS_ID, baseUrl, setUpAt: now });
  return ctx.db
    .insert(serviceSettings)
    .select(sql`select ${row} where ${isCreated}`)
    .onConflictDoUpdate({
      target: serviceSettings.id,
      set: { baseUrl: sql`coalesce(${serviceSettings.baseUrl}, ${baseUrl})`, setUpAt: now },
    });
}
