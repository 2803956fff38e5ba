import type { Context } from '../context.ts';
import type { WakeUp } from '../jobs.ts';
import { type DelayedWakeUp, wakeUp } from '../wake-up.ts';
import { claimDue, type Due } from './claim.ts';
import { fanOut } from './fan-out.ts';
import { loadPayloadSigners } from './payload-signers.ts';
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
 * Answers wake-ups: fans out the events that await it, attempts what is due for the subscriptions, until there is
 * nothing left or the time is over; then another wake-up goes on. It may run any number of times at once, because every
 * delivery is claimed by one statement.
 */
export async function deliver(ctx: Context, wakeUps: WakeUp[]): Promise<RunReport> {
  const deadlineAt = Date.now() + RUN_MS_MAX;
  const sender = new Sender(ctx, deadlineAt);
  const isOver = () => sender.closed || Date.now() >= deadlineAt;
  const next: DelayedWakeUp[] = [];
  try {
    if (wakeUps.some(({ type }) => type === 'fan-out-events')) await tellEvents(ctx, sender, isOver, next);
    const ids = new Set(wakeUps.flatMap((one) => (one.type === 'deliver-webhooks' ? [one.subscriptionId] : [])));
    await Promise.all([...ids].map((id) => catchUp(ctx, sender, id, isOver, next)));
    await wakeUp(ctx, next);
  } finally {
    await sender.end();
  }
  return { attempts: sender.attempts };
}

/** Fans out page after page; the next one is made while the last one is being sent. */
async function tellEvents(ctx: Context, sender: Sender, isOver: () => boolean, next: DelayedWakeUp[]): Promise<void> {
  for (;;) {
    const { claimed, troubled, more } = await fanOut(ctx);
    await take(ctx, sender, claimed);
    await wakeUp(
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
  next: DelayedWakeUp[],
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
  const signers = await loadPayloadSigners(
    ctx,
    claimed.map(({ subscription }) => subscription),
  );
  sender.add(claimed, signers);
}
