import { randomBytes } from 'node:crypto';
import { Problem } from './settings.ts';

const TOKEN_BYTES = 32;

/** A running Worker and the token of its administration entry. */
export interface AdminAddress {
  origin: string;
  adminToken: string;
}

/** Returns a token for the administration entry of a Worker that is about to start. */
export function newAdminToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The answer to a command was lost. The command may have run. */
export class LostAnswer extends Problem {}

/** Makes a command safe to repeat. */
export interface Repeat {
  /** UUID v7 from the time the command was given. */
  repeatKey: string;
  isRepeat: boolean;
}

/**
 * Runs a command of the administration entry and returns its reply. Throws a `Problem` with the entry's message, or
 * `LostAnswer` if it is unknown whether the command ran.
 */
export async function runAdminCommand<T = unknown>(
  address: AdminAddress,
  command: string,
  options: Record<string, unknown> = {},
  repeat?: Repeat,
): Promise<T> {
  const reply = await fetch(`${address.origin}/admin/commands`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${address.adminToken}` },
    body: JSON.stringify({ command, options, ...repeat }),
  }).catch((error: unknown) => {
    throw new LostAnswer(`The service did not answer ${command}: ${String(error)}`);
  });
  const text = await reply.text();
  if (reply.ok) return JSON.parse(text) as T;
  const Failure = reply.status >= 500 ? LostAnswer : Problem;
  throw new Failure(errorOf(text) ?? `The service answered ${command} with ${reply.status}: ${text}`);
}

function errorOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: string }).error;
  } catch {
    return undefined;
  }
}
