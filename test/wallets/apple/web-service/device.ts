import { randomBytes } from 'node:crypto';
import { type CreatedPass, type Reply, send } from '../../../support/api.ts';
import { linkTokens } from '../../../support/control.ts';
import { PASS_TYPE_ID } from '../../../support/start-worker.ts';

const BASE = '/wallet/apple/v1';

/** A device with an identifier of its own, that speaks Apple's protocol. */
export class Device {
  id = randomBytes(16).toString('hex');
  pushToken = randomBytes(32).toString('hex');
  /** Pass type of the passes that it has. */
  passTypeId: string;

  constructor(passTypeId = PASS_TYPE_ID) {
    this.passTypeId = passTypeId;
  }

  path(passTypeId = this.passTypeId): `/${string}` {
    return `${BASE}/devices/${this.id}/registrations/${passTypeId}`;
  }

  async register(pass: CreatedPass, pushToken = this.pushToken): Promise<Reply> {
    return send('POST', `${this.path()}/${pass.identifier}`, { pushToken }, await authorizationOf(pass));
  }

  async unregister(pass: CreatedPass): Promise<Reply> {
    return send('DELETE', `${this.path()}/${pass.identifier}`, undefined, await authorizationOf(pass));
  }

  list(since?: string): Promise<Reply> {
    const query = since === undefined ? '' : `?passesUpdatedSince=${encodeURIComponent(since)}`;
    return send('GET', `${this.path()}${query}`);
  }

  async fetch(pass: CreatedPass, headers: Record<string, string> = {}): Promise<Reply> {
    const path = `${BASE}/passes/${this.passTypeId}/${pass.identifier}` as const;
    return send('GET', path, undefined, { ...(await authorizationOf(pass)), ...headers });
  }
}

/** Tokens never change, so one read serves; a device keeps the token of a pass that was deleted, too. */
const tokens = new Map<string, string>();

export async function authorizationOf({ identifier }: CreatedPass): Promise<{ Authorization: string }> {
  if (!tokens.has(identifier)) {
    tokens.set(identifier, (await linkTokens(identifier)).authentication);
  }
  return { Authorization: `ApplePass ${tokens.get(identifier)}` };
}
