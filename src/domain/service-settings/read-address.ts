import { eq } from 'drizzle-orm';
import { describeError, logLine } from '../../platform/log.ts';
import { type Context, ownSession } from '../context.ts';
import { addressReadAt, keepAddress } from '../public-address.ts';
import { DIRECTORY } from '../shard-map.ts';
import { SETTINGS_ID, serviceSettings } from './table.ts';

/** Maximum age of the address that an isolate knows. */
const FRESH_MS = 30_000;

/** Reads under way, by directory. */
const reading = new WeakMap<D1Database, Promise<void>>();

type Reader = Pick<Context, 'env' | 'requestId' | 'waitUntil'>;

/**
 * Makes sure that the isolate knows the stored address before a context is opened. One round trip for the first work of
 * an isolate, none with BASE_URL; later it is read in the background. Throws if the first read fails.
 */
export async function ensureAddress(reader: Reader): Promise<void> {
  const { env } = reader;
  if (env.BASE_URL) return;
  const readAt = addressReadAt(env);
  if (readAt === undefined) return readAddress(env);
  if (Date.now() - readAt < FRESH_MS || reading.has(env.DB)) return;
  reader.waitUntil(readAddress(env).catch((error: unknown) => noteFailure(reader, error)));
}

/** Does the same for a request, which uses its own origin if the read fails. */
export async function tryAddress(reader: Reader): Promise<void> {
  try {
    await ensureAddress(reader);
  } catch (error) {
    noteFailure(reader, error);
  }
}

function noteFailure({ requestId }: Reader, error: unknown): void {
  logLine('error', { event: 'service-address', requestId, error: describeError(error) });
}

/** Reads the address once for all waiting callers. */
function readAddress(env: Context['env']): Promise<void> {
  const under = reading.get(env.DB) ?? findAddress(env).finally(() => reading.delete(env.DB));
  reading.set(env.DB, under);
  return under;
}

async function findAddress(env: Context['env']): Promise<void> {
  const isTarget = eq(serviceSettings.id, SETTINGS_ID);
  const [row] = await ownSession({ env, database: DIRECTORY })
    .select({ baseUrl: serviceSettings.baseUrl })
    .from(serviceSettings)
    .where(isTarget);
  keepAddress(env, row?.baseUrl ?? null);
}
