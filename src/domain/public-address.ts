import type { Env } from '../platform/env.ts';

/*
 * The stored address of the service (domain/service-settings), as this isolate knows it, for services without BASE_URL.
 * Contexts take it from memory, so no request pays for it.
 */

interface Known {
  /** Null: none is stored. */
  baseUrl: string | null;
  /** When it was read, UTC milliseconds. */
  readAt: number;
}

/** By the directory that they are of. */
const known = new WeakMap<D1Database, Known>();

/** The stored address; undefined while the isolate has not read it, or where none is stored. */
export function knownAddress({ DB }: Env): string | undefined {
  return known.get(DB)?.baseUrl ?? undefined;
}

/** When this isolate has read the address; undefined: not yet. */
export function addressReadAt({ DB }: Env): number | undefined {
  return known.get(DB)?.readAt;
}

/** Takes the address that was read or written just now. */
export function keepAddress({ DB }: Env, baseUrl: string | null): void {
  known.set(DB, { baseUrl, readAt: Date.now() });
}
