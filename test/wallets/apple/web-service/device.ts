import { randomBytes } from 'node:crypto';
import { shardOf } from '../../../../src/platform/ids.ts';
import { type CreatedPass, type Reply, send } from '../../../support/api.ts';
import { linkTokens } from '../../../support/control.ts';
import { PASS_TYPE_ID } from '../../../support/start-worker.ts';

/** Devices use the address in `pass.json`. */
const baseOf = (shard: number) => `/wallet/apple${shard === 0 ? '' : `/${shard}`}/v1` as const;

/** A device with its own identifier that uses Apple's protocol. */
export class Device {
  id = randomBytes(16).toString('hex');
  pushToken = randomBytes(32).toString('hex');
  /** Pass type of its passes. */
  passTypeId: string;
  /** Shard of the pass that it registered for last. */
  shard = 0;

  constructor(passTypeId = PASS_TYPE_ID) {
    this.passTypeId = passTypeId;
  }

  path(passTypeId = this.passTypeId, shard = this.shard): `/${string}` {
    return `${baseOf(shard)}/devices/${this.id}/registrations/${passTypeId}`;
  }

  async register(pass: CreatedPass, pushToken = this.pushToken): Promise<Reply> {
    this.shard = shardOf(pass.identifier);
    return send('POST', `${this.pathOf(pass)}`, { pushToken }, await authorizationOf(pass));
  }

  async unregister(pass: CreatedPass): Promise<Reply> {
    return send('DELETE', `${this.pathOf(pass)}`, undefined, await authorizationOf(pass));
  }

  pathOf({ identifier }: Pick<CreatedPass, 'identifier'>): `/${string}` {
    return `${this.path(undefined, shardOf(identifier))}/${identifier}`;
  }

  /** Lists the changed passes of a shard. */
  list(since?: string, shard = this.shard): Promise<Reply> {
    const query = since === undefined ? '' : `?passesUpdatedSince=${encodeURIComponent(since)}`;
    return send('GET', `${this.path(undefined, shard)}${query}`);
  }

  async fetch(pass: CreatedPass, headers: Record<string, string> = {}): Promise<Reply> {
    const path = `${baseOf(shardOf(pass.identifier))}/passes/${this.passTypeId}/${pass.identifier}` as const;
    return send('GET', path, undefined, { ...(await authorizationOf(pass)), ...headers });
  }
}

/** Tokens never change, so one read is enough; a device also keeps the token of a deleted pass. */
const tokens = new Map<string, string>();

export async function authorizationOf({ identifier }: CreatedPass): Promise<{ Authorization: string }> {
  if (!tokens.has(identifier)) {
    tokens.set(identifier, (await linkTokens(identifier)).authentication);
  }
  return { Authorization: `ApplePass ${tokens.get(identifier)}` };
}
