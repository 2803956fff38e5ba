import { eq, lt, type SQL, sql } from 'drizzle-orm';
import { commit } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import { livesHere } from '../moved.ts';
import { countInactiveDevice } from '../passes/count-devices.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { googleKindOf, offeredByLink } from '../passes/google/google-object.ts';
import { isOwnPass } from '../passes/own-pass.ts';
import { passes, passTombstones } from '../passes/table.ts';
import { purge } from '../purge.ts';
import { requestPublications } from '../pushes/request-pushes.ts';
import { beginRegistration, endRegistration } from './change-registration.ts';
import { type DeviceLibrary, type DevicePass, isOfDevice } from './find-device-pass.ts';
import { registrations, takenCallbacks } from './table.ts';

/**
 * Represents all devices of Google Wallet. Apple's pass types begin with `pass.`, so no device can be in this library.
 */
const GOOGLE_WALLET: DeviceLibrary = { deviceId: 'google-wallet', passTypeId: 'google' };

/** A holder's save or removal of a pass in Google Wallet, as reported by Google. */
export interface WalletSave {
  event: 'save' | 'del';
  /** The same for each delivery of a message. */
  nonce: string;
  /** UTC milliseconds; after that, further deliveries of the message are ignored. */
  expiresAt: number;
}

/**
 * Records a save or a removal: nonce, row, counts and events in one batch. A pass has one registration for Google
 * Wallet, active while saves outnumber removals: messages repeat and arrive in any order. The quota of active passes
 * doesn't block a save, because the holder already has the pass, but counts it.
 */
export async function recordSave(ctx: AccountContext, found: DefinedPass, save: WalletSave): Promise<void> {
  const passId = found.pass.id;
  const device = { ...GOOGLE_WALLET, passId };
  const takenBy = crypto.randomUUID();
  const isTaken = sql`exists (select 1 from ${takenCallbacks} where ${takenCallbacks.passId} = ${passId}
    and ${takenCallbacks.nonce} = ${save.nonce} and ${takenCallbacks.takenBy} = ${takenBy})`;
  const saves = sql`coalesce((select ${registrations.saves} from ${registrations} where ${isOfDevice(device, ctx.account.id)}), 0)`;
  const change = { found, device, operatingSystem: 'Android' } as const;
  const taking = ctx.db
    .insert(takenCallbacks)
    .select(sql`select ${passes.id}, ${save.nonce}, ${takenBy}, ${save.expiresAt} from ${passes}
      where ${isOwnPass(ctx.account.id, passId)}`)
    .onConflictDoNothing();
  if (save.event === 'save') {
    const { flight, googleKind } = found.pass;
    const kind = googleKindOf({ ...found.definition, flight, googleKind });
    await commit(ctx, [
      taking,
      ...beginRegistration(ctx, { ...change, condition: sql`${isTaken} and ${saves} = 0` }).statements,
      addSaves(ctx, device, 1, isTaken),
      offeredByLink(ctx, passId, kind, isTaken),
      // The holder used a link with an embedded object, which may be outdated.
      requestPublications(ctx, sql`${isOwnPass(ctx.account.id, passId)} and ${isTaken}`),
    ]);
    return;
  }
  const isNew = sql`not exists (select 1 from ${registrations} where ${isOfDevice(device, ctx.account.id)})`;
  await commit(ctx, [
    taking,
    ...endRegistration(ctx, { ...change, condition: sql`${isTaken} and ${saves} = 1` }).statements,
    countInactiveDevice(ctx, passId, sql`${isTaken} and ${isNew}`),
    addSaves(ctx, device, -1, isTaken),
  ]);
}

/** Builds the row of a pass, which is registered while the sum is above zero. */
function addSaves(ctx: AccountContext, { deviceId, passTypeId, passId }: DevicePass, added: 1 | -1, applies: SQL) {
  const now = Date.now();
  const sum = sql`${registrations.saves} + ${added}`;
  const ended = sql`iif(${sum} > 0, null, coalesce(${registrations.endedAt}, ${now}))`;
  return ctx.db
    .insert(registrations)
    .select(
      sql`select ${deviceId}, ${passTypeId}, ${passId}, ${ctx.account.id}, null, ${now}, ${added > 0 ? null : now}, ${added}
        where ${applies}`,
    )
    .onConflictDoUpdate({
      target: [registrations.deviceId, registrations.passTypeId, registrations.passId],
      set: {
        saves: sum,
        endedAt: ended,
        registeredAt: sql`iif(${sum} > 0 and ${registrations.endedAt} is not null, ${now}, ${registrations.registeredAt})`,
      },
      setWhere: eq(registrations.accountId, ctx.account.id),
    });
}

/** Cron task: deletes expired callbacks, which would be refused. */
export async function purgeTakenCallbacks(ctx: Context, now = Date.now()): Promise<void> {
  const { passId, expiresAt } = takenCallbacks;
  const owner = sql`coalesce((select ${passes.accountId} from ${passes} where ${passes.id} = ${passId}),
    (select ${passTombstones.accountId} from ${passTombstones} where ${passTombstones.passId} = ${passId}))`;
  await purge(ctx, takenCallbacks, sql`${lt(expiresAt, now)} and ${livesHere(owner)}`);
}
