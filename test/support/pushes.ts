import { randomBytes } from 'node:crypto';
import { createDevelopmentAuthority } from '../../scripts/development-ca.ts';
import { Device } from '../wallets/apple/web-service/device.ts';
import { admin, type Client, type CreatedPass, freshAccount } from './api.ts';
import { d1, eventually } from './control.ts';
import { type OutsideReply, openOutsideServer } from './outside-server.ts';
import { crowdedAccount } from './processes.ts';
import { PASS_TYPE_ID } from './start-worker.ts';

/** A push in the dev inbox. */
export interface SentPush {
  to: string;
  topic: string;
  text: string;
  passId?: string;
}

/** Returns the pushes sent to these devices, oldest first. */
export async function pushesTo(...devices: Device[]): Promise<SentPush[]> {
  const rows = await d1<{ recipient: string; subject: string; text: string; details: string }>(
    `select recipient, subject, text, details from outbox_items
     where kind = 'apns' and recipient in (select value from json_each(?)) order by key`,
    [JSON.stringify(devices.map(({ pushToken }) => pushToken))],
  );
  return rows.map(({ recipient, subject, text, details }) => {
    const { passId } = JSON.parse(details) as { passId?: string };
    return { to: recipient, topic: subject, text, ...(passId ? { passId } : {}) };
  });
}

/** Waits until a device has `count` pushes, and returns them. */
export function pushed(device: Device, count = 1): Promise<SentPush[]> {
  return eventually(async () => {
    const found = await pushesTo(device);
    return found.length >= count && found;
  });
}

/** Whether no push is pending for any of an account's passes. */
export function allPushed({ accountId }: Client): Promise<boolean> {
  return eventually(async () => {
    const [{ left } = { left: 1 }] = await d1<{ left: number }>(
      `select (select count(*) from requested_pushes where account_id = ?1) + (select count(*) from push_fan_outs where account_id = ?1) as left`,
      [accountId],
    );
    return left === 0;
  });
}

/** A pass that a device is registered for. */
export interface HeldPass {
  pass: CreatedPass;
  device: Device;
}

export async function heldPass(
  client: Client,
  templateId: string,
  fields: Record<string, unknown> = {},
  device = new Device(),
): Promise<HeldPass> {
  const pass = await client.createPass(templateId, fields);
  const { status } = await device.register(pass);
  if (status !== 201) throw new Error(`the device could not register: ${status}`);
  return { pass, device };
}

/** The relay's answer to one push. */
export type FarEnd = (token: string) => { outcome: string; afterSeconds?: number; reason?: string };

/**
 * Creates an account with its own pass type, whose pushes go to an outside relay that answers with `farEnd`;
 * `meanwhile` runs before that.
 */
export async function relayedAccount(
  farEnd: FarEnd,
  meanwhile: () => Promise<unknown> = async () => {},
  passTypeId = `pass.com.example.${randomBytes(6).toString('hex')}`,
) {
  const client = await freshAccount();
  const { rootPem: _, ...files } = await createDevelopmentAuthority({
    passTypeId,
    teamId: 'TESTTEAM01',
    organizationName: 'Example Organization',
  });
  const imported = await admin<{ certificateId: string }>('certificate import', {
    ...files,
    account: client.accountId,
    development: true,
  });
  const received: string[] = [];
  const relay = await openOutsideServer(async (request): Promise<OutsideReply> => {
    const { tokens } = JSON.parse(request.body.toString()) as { tokens: string[] };
    received.push(...tokens);
    await meanwhile();
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ outcomes: tokens.map(farEnd) }),
    };
  });
  await admin('certificate push', {
    id: imported.certificateId,
    'relay-url': relay.origin,
    'relay-token': randomBytes(20).toString('hex'),
  });
  return { client, passTypeId, relay, received };
}

/**
 * Creates an account with a template and many passes on one device each, with token `<mark>-<number>`, and one more
 * pass on none.
 */
export async function heldCrowd(rows: number) {
  const { client, templateId, ids } = await crowdedAccount(rows);
  const mark = randomBytes(6).toString('hex');
  await holdAll(ids, mark);
  return { client, templateId, ids, mark };
}

/** Registers one device for each of the passes. */
async function holdAll(ids: string[], mark: string): Promise<void> {
  const list = JSON.stringify(ids);
  await d1('update passes set number_of_active = 1 where id in (select value from json_each(?))', [list]);
  await d1(
    `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
     select ? || '-device-' || held.key, ?, passes.id, passes.account_id, ? || '-' || held.key, 1, null
     from json_each(?) as held join passes on passes.id = held.value`,
    [mark, PASS_TYPE_ID, mark, list],
  );
}

/** Returns how many of the devices received each number of pushes. */
export async function pushCounts(mark: string): Promise<Record<number, number>> {
  const rows = await d1<{ pushes: number; devices: number }>(
    `select pushes, count(*) as devices from
      (select count(*) as pushes from outbox_items where kind = 'apns' and recipient like ? group by recipient) group by pushes`,
    [`${mark}-%`],
  );
  return Object.fromEntries(rows.map((row) => [row.pushes, row.devices]));
}
