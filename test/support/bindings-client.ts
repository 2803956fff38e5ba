import type { BindingCalls } from './bindings-worker.ts';
import { fetchWorker } from './fetch-worker.ts';

export type Ask = <Name extends keyof BindingCalls>(
  call: Name,
  input: BindingCalls[Name]['in'],
) => Promise<BindingCalls[Name]['out']>;

/** Calls the bindings of the Worker under test, through the Worker of `bindings-worker.ts`. */
export function askAt(bindingsOrigin: string): Ask {
  return async (call, input) => {
    const url = new URL(`${bindingsOrigin}/${call}`);
    const body = JSON.stringify(input);
    const reply = await fetchWorker(url, { method: 'POST', headers: {}, body, redirect: 'manual' });
    if (!reply.ok) throw new Error(`${call}: ${await reply.text()}`);
    return (await reply.json()) as BindingCalls[typeof call]['out'];
  };
}
