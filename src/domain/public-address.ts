import type { Env } from '../platform/env.ts';

/*
 * The stored address of the service (domain/service-settings) as this isolate knows it, for services without BASE_URL.
 * Contexts read it from memory, so no request pays for it.
 */

interface Known {
  /** Null: no address is stored. */
  baseUrl: string | null;
  /** When it was read, in UTC milliseconds. */
  readAt: number;
}

/** Known addresses, by directory. */
const known = new WeakMap<D1Database, Known>();

/** Returns the stored address; undefined if the isolate hasn't read it yet or none is stored. */
export function knownAddress({ DB }: Env): string | undefined {
  return known.get(DB)?.baseUrl ?? undefined;
}

/** Returns when this isolate read the address; undefined: not yet. */
export function addressReadAt({ DB }: Env): number | undefined {
  return known.get(DB)?.readAt;
}

/** Stores the address that was just read or written. */
export function keepAddress({ DB }: Env, baseUrl: string | null): void {
  known.set(DB, { baseUrl, readAt: Date.now() });
}
