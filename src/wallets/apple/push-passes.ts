import { eq, sql } from 'drizzle-orm';
import { signingCertificateQuery } from '../../domain/certificates/find-signing-certificate.ts';
import { type Context, noteAccount } from '../../domain/context.ts';
import { RetryLater } from '../../domain/jobs.ts';
import { passes } from '../../domain/passes/table.ts';
import {
  claimedPasses,
  claimPushes,
  type PushClaim,
  postponePushes,
  settlePushes,
} from '../../domain/pushes/claim-pushes.ts';
import { retryDelaySeconds } from '../../domain/pushes/leases.ts';
import type { DevicePass } from '../../domain/registrations/find-device-pass.ts';
import { pushTargetsQuery } from '../../domain/registrations/find-push-targets.ts';
import { randomToken } from '../../platform/ids.ts';
import { pushToDevices } from './push-to-devices.ts';

/**
 * Job: notifies Apple's devices of changed passes, all of one account. Two round trips however many passes; a pass that
 * nobody asks for any more, or that another job works on, is left alone, so a second delivery notifies nobody twice.
 * Throws when some are to be notified later.
 */
export async function pushPasses(ctx: Context, passIds: string[]): Promise<void> {
  const claim: PushClaim = { wallet: 'apple', passIds, claim: randomToken() };
  const account = sql`(select ${passes.accountId} from ${passes} where ${eq(passes.id, passIds[0] ?? '')})`;
  const [claimed, targets, certificates] = await ctx.db.batch([
    claimPushes(ctx, claim),
    pushTargetsQuery(ctx, claimedPasses(claim)),
    signingCertificateQuery(ctx.db, account),
  ]);
  if (claimed.length === 0) return;
  for (const { accountId } of targets) noteAccount(ctx, accountId);
  const attempts = Math.max(...claimed.map((push) => push.attempts));
  const texts = new Map(claimed.map(({ passId, text }) => [passId, text]));
  const held = { ...claim, passIds: claimed.map(({ passId }) => passId) };
  try {
    const left = await pushToDevices(ctx, targets, certificates, (passId) => texts.get(passId));
    await settlePushes(ctx, { ...held, passIds: held.passIds.filter((passId) => !left.passIds.has(passId)) });
    if (left.passIds.size > 0) throw new RetryLater(left.afterSeconds, left.reason);
  } catch (error) {
    const asked = error instanceof RetryLater ? error.afterSeconds : 0;
    await postponePushes(ctx, held, retryDelaySeconds(attempts, asked));
    throw error;
  }
}

/**
 * Job: notifies one device of a changed pass. One round trip; a device that has left the pass is not notified.
 * Throws when it is to be notified later.
 */
export async function pushToDevice(ctx: Context, device: DevicePass): Promise<void> {
  const account = sql`(select ${passes.accountId} from ${passes} where ${eq(passes.id, device.passId)})`;
  const [targets, certificates] = await ctx.db.batch([
    pushTargetsQuery(ctx, sql`(select ${device.passId} as id)`, device),
    signingCertificateQuery(ctx.db, account),
  ]);
  for (const { accountId } of targets) noteAccount(ctx, accountId);
  const left = await pushToDevices(ctx, targets, certificates, () => undefined);
  if (left.passIds.size > 0) throw new RetryLater(left.afterSeconds, left.reason);
}
