import type { Meter } from '../platform/db.ts';
import { describeError, logLine } from '../platform/log.ts';
import type { Context } from './context.ts';
import type { WakeUp } from './jobs.ts';

/** Messages that a queue takes at once, and its longest delay (Cloudflare, Queues limits). */
const MESSAGES_MAX = 100;
export const WAKE_UP_DELAY_S_MAX = 12 * 3_600;

export interface DelayedWakeUp {
  body: WakeUp;
  delaySeconds?: number;
}

/**
 * Says that there is something to tell. A message that gets lost is made up for by the cron's sweep, so a queue that
 * refuses is logged and no failure.
 */
export async function wakeUp(ctx: Context, messages: DelayedWakeUp[]): Promise<void> {
  try {
    for (let at = 0; at < messages.length; at += MESSAGES_MAX) {
      await ctx.env.WEBHOOKS.sendBatch(messages.slice(at, at + MESSAGES_MAX));
    }
  } catch (error) {
    logLine('error', { event: 'webhook-wake-up', requestId: ctx.requestId, error: describeError(error) });
  }
}

/** Contexts, by their meter, that are about to send a message. */
const waking = new WeakSet<Meter>();

/**
 * Has the events fanned out that a batch of this context has just committed; one message a batch, however many of its
 * statements ask.
 */
export function wakeFanOut(ctx: Context): void {
  if (waking.has(ctx.meter)) return;
  waking.add(ctx.meter);
  const send = async () => {
    // The other statements of the batch ask in this same turn.
    await Promise.resolve();
    waking.delete(ctx.meter);
    await wakeUp(ctx, [{ body: { type: 'fan-out-events' } }]);
  };
  ctx.waitUntil(send());
}
