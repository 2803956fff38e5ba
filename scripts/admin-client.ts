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

/** Runs a command of the administration entry and returns its reply. Throws a `Problem` with the entry's sentence. */
export async function runAdminCommand<T = unknown>(
  address: AdminAddress,
  command: string,
  options: Record<string, unknown> = {},
): Promise<T> {
  const reply = await fetch(`${address.origin}/admin/commands`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${address.adminToken}` },
    body: JSON.stringify({ command, options }),
  });
  const text = await reply.text();
  if (reply.ok) return JSON.parse(text) as T;
  throw new Problem(errorOf(text) ?? `The service answered ${command} with ${reply.status}: ${text}`);
}

function errorOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: string }).error;
  } catch {
    return undefined;
  }
}
