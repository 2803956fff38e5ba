import { setTimeout } from 'node:timers/promises';
import { Problem } from '../scripts/settings.ts';

const LOOK_MS = 100;

/** Sends an account's request and returns the body of the reply. Throws a `Problem` if it is rejected. */
// biome-ignore lint/suspicious/noExplicitAny: any reply of the API
export type Caller = (method: string, path: string, body?: object) => Promise<any>;

/** Returns a caller that uses this key. */
export function callerOf(origin: string, apiKey: string): Caller {
  return async (method, path, body) => {
    const headers = { Authorization: apiKey, 'Content-Type': 'application/json' };
    const reply = await fetch(origin + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await reply.text();
    if (!reply.ok) throw new Problem(`${method} ${path} was answered with ${reply.status}: ${text}`);
    return JSON.parse(text);
  };
}

/** Waits for a process to end. Throws a `Problem` if one of its items failed. */
export async function ended(call: Caller, begun: ReturnType<Caller>): Promise<void> {
  const { processId } = (await begun).data as { processId: string };
  for (;;) {
    const { status, errors } = (await call('GET', `/api/v3/process/${processId}`)).data as Record<string, unknown>;
    if (status === 'finished') return;
    if (String(status).startsWith('finished'))
      throw new Problem(`A process ended with status ${status}: ${JSON.stringify(errors)}`);
    await setTimeout(LOOK_MS);
  }
}
