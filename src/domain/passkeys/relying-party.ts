import type { Context } from '../context.ts';

/** Whom passkeys belong to: this service, under its public address. */
export interface RelyingParty {
  /** Host name. Passkeys of one host are good for no other. */
  id: string;
  origin: string;
}

const ADDRESS = /^(\[.*\]|[\d.]+)$/;

/** Undefined where the address of the service has no name, for which browsers make no passkeys. */
export function relyingParty({ baseUrl }: Context): RelyingParty | undefined {
  const { hostname, origin } = new URL(baseUrl);
  return ADDRESS.test(hostname) ? undefined : { id: hostname, origin };
}
