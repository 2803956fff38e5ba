import type { Meter } from '../platform/db.ts';
import { describeError, logLine } from '../platform/log.ts';
import type { Context } from './context.ts';
import type { DeliveryJob } from './jobs.ts';

/** Messages that a queue takes at once, and its longest delay (Cloudflare, Queues limits). */
const MESSAGES_MAX = 100;
export const DELIVERY_DELAY_S_MAX = 12 * 3_600;

export interface DelayedDeliveryJob {
  body: DeliveryJob;
  delaySeconds?: number;
}

/**
 * Enqueues delivery jobs. The cron's sweep makes up for a lost one, so a queue that refuses is logged and is no
 * failure.
 */
export async function scheduleDelivery(ctx: Context, messages: DelayedDeliveryJob[]): Promise<void> {
  try {
    for (let at = 0; at < messages.length; at += MESSAGES_MAX) {
      await ctx.env.WEBHOOKS.sendBatch(messages.slice(at, at + MESSAGES_MAX));
    }
  } catch (error) {
    logLine('error', { event: 'webhook-wake-up', requestId: ctx.requestId, error: describeError(error) });
  }
}

/** Contexts, by their meter, that are about to enqueue a job. */
const scheduling = new WeakSet<Meter>();

/**
 * Schedules the fan-out of the events that a batch of this context has just committed: one job a batch, however many of
 * its statements ask.
 */
export function scheduleFanOut(ctx: Context): void {
  if (scheduling.has(ctx.meter)) return;
  scheduling.add(ctx.meter);
  const send = async () => {
    // The other statements of the batch ask in this same turn.
    await Promise.resolve();
    scheduling.delete(ctx.meter);
    await scheduleDelivery(ctx, [{ body: { type: 'fan-out-events' } }]);
  };
  ctx.waitUntil(send());
}
