import { randomBytes } from 'node:crypto';
import { Problem } from './settings.ts';

const TOKEN_BYTES = 32;

/** A running Worker and the token of its administration entry. */
export interface AdminAddress {
  origin: string;
  adminToken: string;
}

/** A token for the administration entry of a Worker that is about to start. */
export function newAdminToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** A command that may have been carried out, although its answer is lost. */
export class LostAnswer extends Problem {}

/** What lets a command be repeated without doing anything twice. */
export interface Repeat {
  /** UUID v7 of the moment at which the command was given. */
  repeatKey: string;
  isRepeat: boolean;
}

/**
 * Runs a command of the administration entry and returns its reply. Throws a `Problem` with the entry's sentence, and
 * `LostAnswer` where it is not known whether the command was carried out.
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
