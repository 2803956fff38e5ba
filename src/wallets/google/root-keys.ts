import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';

/** A root key of Google's, which vouches for those that sign messages. */
export interface RootKey {
  key: KeyObject;
  protocolVersion: string;
  /** UTC milliseconds; infinite when Google names none. */
  expiresAt: number;
}

/** Google could not be asked for its keys; the message has to come again. */
export class KeysUnavailable extends Error {
  constructor(reason: string) {
    super(`Google's root keys are unavailable: ${reason}`);
    this.name = 'KeysUnavailable';
  }
}

const TIMEOUT_MS = 3_000;
const HOUR_MS = 60 * 60_000;
/** Keys are kept as long as their reply says, within these bounds. */
const KEPT_MS_MIN = 5 * 60_000;
const KEPT_MS_MAX = 24 * HOUR_MS;
/** Not asked for again by a message that they do not vouch for, so that forgeries cost Google nothing. */
const YOUNG_MS = 60_000;

const Keys = z.object({
  keys: z.array(
    z.object({ keyValue: z.string(), protocolVersion: z.string(), keyExpiration: z.coerce.number().optional() }),
  ),
});

interface Kept {
  keys: RootKey[];
  askedAt: number;
  freshUntil: number;
}

/** By URL, for the life of the isolate. */
const kept = new Map<string, Kept>();

export interface RootKeysOptions {
  fetch?: typeof fetch;
  /** UTC milliseconds. */
  now?: number;
  /** Asks again, unless that has happened just now: the keys do not vouch for a message. */
  doubted?: boolean;
}

/** Google's root keys, from the isolate's memory while its copy is fresh. Throws `KeysUnavailable`. */
export async function rootKeys(url: string, options: RootKeysOptions = {}): Promise<RootKey[]> {
  const { now = Date.now(), doubted = false } = options;
  const known = kept.get(url);
  if (known && known.freshUntil > now && !(doubted && known.askedAt + YOUNG_MS <= now)) return known.keys;
  const send = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  try {
    const response = await send(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const { keys } = Keys.parse(await response.json());
    const asked = { keys: keys.flatMap(toRootKey), askedAt: now, freshUntil: now + keptMs(response) };
    kept.set(url, asked);
    return asked.keys;
  } catch (error) {
    throw new KeysUnavailable(error instanceof Error ? error.message : String(error));
  }
}

/** A key that we cannot read vouches for nothing; the others may. */
function toRootKey({ keyValue, protocolVersion, keyExpiration }: z.output<typeof Keys>['keys'][number]): RootKey[] {
  const key = readPublicKey(keyValue);
  return key ? [{ key, protocolVersion, expiresAt: keyExpiration ?? Number.POSITIVE_INFINITY }] : [];
}

/** An EC P-256 public key of base64 DER (SubjectPublicKeyInfo); undefined for anything else. */
export function readPublicKey(base64: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

function keptMs(response: Response): number {
  const [, seconds] = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '') ?? [];
  return Math.min(Math.max(Number(seconds ?? 3_600) * 1_000, KEPT_MS_MIN), KEPT_MS_MAX);
}
