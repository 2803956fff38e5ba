import type { Context } from '../context.ts';
import type { DeliveryJob } from '../jobs.ts';
import { type DelayedDeliveryJob, scheduleDelivery } from '../schedule-delivery.ts';
import { claimDue, type Due } from './claim.ts';
import { fanOut } from './fan-out.ts';
import { getPayloadSigners } from './payload-signers.ts';
import { Sender } from './sender.ts';

/** A run takes nothing on after this; see LEASE_MS. */
const RUN_MS_MAX = 5_000;
/** Deliveries that wait for their turn while the next ones are claimed. */
const QUEUED_MAX = 50;
/** A receiver that fails is tried by few deliveries at a time; as long as its answers are quick they double. */
const CLAIMED_WHILE_FAILING = 2;

/** Says what a run has done, for its log line. */
export interface RunReport {
  attempts: number;
}

/**
 * Runs delivery jobs: fans out pending events and attempts due deliveries, until nothing is left or the time is over;
 * then another job goes on. Any number of runs at once is fine, because one statement claims each delivery.
 */
export async function deliver(ctx: Context, deliveryJobs: DeliveryJob[]): Promise<RunReport> {
  const deadlineAt = Date.now() + RUN_MS_MAX;
  const sender = new Sender(ctx, deadlineAt);
  const isOver = () => sender.closed || Date.now() >= deadlineAt;
  const next: DelayedDeliveryJob[] = [];
  try {
    if (deliveryJobs.some(({ type }) => type === 'fan-out-events')) await deliverEvents(ctx, sender, isOver, next);
    const ids = new Set(deliveryJobs.flatMap((one) => (one.type === 'deliver-webhooks' ? [one.subscriptionId] : [])));
    await Promise.all([...ids].map((id) => catchUp(ctx, sender, id, isOver, next)));
    await scheduleDelivery(ctx, next);
  } finally {
    await sender.end();
  }
  return { attempts: sender.attempts };
}

/** Fans out page after page; the next one is made while the last one is being sent. */
async function deliverEvents(
  ctx: Context,
  sender: Sender,
  isOver: () => boolean,
  next: DelayedDeliveryJob[],
): Promise<void> {
  for (;;) {
    const { claimed, troubled, more } = await fanOut(ctx);
    await take(ctx, sender, claimed);
    await scheduleDelivery(
      ctx,
      troubled.map((subscriptionId) => ({ body: { type: 'deliver-webhooks', subscriptionId } })),
    );
    if (!more) return;
    await sender.room(QUEUED_MAX);
    if (isOver()) {
      next.push({ body: { type: 'fan-out-events' } });
      return;
    }
  }
}

/** Attempts what is due for a subscription, batch after batch, as long as its receiver answers. */
async function catchUp(
  ctx: Context,
  sender: Sender,
  subscriptionId: string,
  isOver: () => boolean,
  next: DelayedDeliveryJob[],
): Promise<void> {
  for (let limit = CLAIMED_WHILE_FAILING; ; limit *= 2) {
    const { claimed, more }: Due = await claimDue(ctx, subscriptionId, limit);
    await take(ctx, sender, claimed);
    if (!more) return;
    await sender.room(0);
    if (sender.isBarred(subscriptionId)) return;
    if (isOver()) {
      next.push({ body: { type: 'deliver-webhooks', subscriptionId } });
      return;
    }
  }
}

async function take(ctx: Context, sender: Sender, claimed: Due['claimed']): Promise<void> {
  if (claimed.length === 0) return;
  const signers = await getPayloadSigners(
    ctx,
    claimed.map(({ subscription }) => subscription),
  );
  sender.add(claimed, signers);
}
