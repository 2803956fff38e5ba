const TIMEOUT_MS = 8_000;

/** A call to an API of Google. */
export interface HttpCall {
  url: string;
  method?: string;
  headers: Record<string, string>;
  body?: string;
}

/** How a client of the Google Wallet API makes its calls. */
export interface GoogleCalls {
  /** Makes a call to the API, perhaps with others in a batch. Rejects with network errors and timeouts. */
  call(call: HttpCall): Promise<Response>;
  /** Makes a call on its own, for example to another host. Rejects with network errors and timeouts. */
  callAlone(call: HttpCall): Promise<Response>;
  /** Does `work`, or waits for another job that is doing the work with this name. */
  once<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Makes a call. Doesn't follow redirects, so that only Google gets the token. Rejects with network errors, and if the
 * reply takes longer than `timeoutMs`.
 */
export function callGoogle(
  { url, ...init }: HttpCall,
  send: typeof fetch = (input, options) => globalThis.fetch(input, options),
  timeoutMs = TIMEOUT_MS,
): Promise<Response> {
  return send(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
}

/** Makes each call on its own. */
export function separateCalls(send?: typeof fetch): GoogleCalls {
  const call = (one: HttpCall) => callGoogle(one, send);
  return { call, callAlone: call, once: (_, work) => work() };
}
