import { enqueueSoon } from '../commit.ts';
import type { Context } from '../context.ts';
import type { DeliveryJob, DeliveryJobOf } from '../jobs.ts';
import { moveRefusal } from '../moved.ts';
import type { EventPush } from '../pushes/event-claim.ts';
import { claimDue, type DueDeliveries } from './claim.ts';
import { Connections } from './connections.ts';
import { fanOut } from './fan-out.ts';
import { getPayloadSigners } from './payload-signers.ts';
import { Sender } from './sender.ts';
import { deliveryJob } from './table.ts';

/** A run claims nothing after this time; see LEASE_MS. */
const RUN_MS_MAX = 5_000;
/** Maximum number of deliveries in the queue while the next ones are claimed. */
const QUEUED_MAX = 50;
/** First claim for a failing receiver. Each further claim doubles while the receiver answers quickly. */
const CLAIMED_WHILE_FAILING = 2;

/** Result of a run, for its log line. */
export interface RunReport {
  attempts: number;
  /** Passes whose pushes it held. */
  pushes: number;
}

/** The means of a run. */
export interface RunMeans {
  /** Runs in the same invocation share them. */
  connections?: Connections;
  /** Sends pushes that the run holds by their events. Never rejects. Absent: they wait for the cron. */
  push?: (pushes: EventPush[]) => Promise<void>;
  /** Gets each job that fails, at once. */
  onFailure?: (job: DeliveryJob) => void;
}

/**
 * Runs delivery jobs: fans out pending events and attempts due deliveries until none are left or time is up; then
 * another job continues. Runs can overlap, because one statement claims each delivery. A job that fails stops no other;
 * after all of them, its error is thrown.
 */
export async function deliver(
  ctx: Context,
  deliveryJobs: DeliveryJob[],
  { connections = new Connections(), push = async () => {}, onFailure = () => {} }: RunMeans = {},
): Promise<RunReport> {
  const deadlineAt = Date.now() + RUN_MS_MAX;
  const sender = new Sender(ctx, deadlineAt, connections);
  const isOver = () => sender.isClosed || Date.now() >= deadlineAt;
  const fanOutJob = deliveryJobs.find(({ type }) => type === 'fan-out-events');
  const ofSubscriptions = deliveryJobs.filter((job) => job.type === 'deliver-webhooks');
  const different = new Map(ofSubscriptions.map((job) => [job.subscriptionId, job]));
  const pushing: Promise<void>[] = [];
  let pushes = 0;
  const begin = (some: EventPush[]) => {
    pushes += some.length;
    pushing.push(push(some));
  };
  const next: DeliveryJob[] = [];
  const failures: unknown[] = [];
  const run = async (job: DeliveryJob, work: () => Promise<boolean>) => {
    try {
      if (await work()) next.push(job);
    } catch (error) {
      failures.push(error);
      onFailure(job);
    }
  };
  if (fanOutJob) {
    const job: DeliveryJob = { type: 'fan-out-events', accountId: fanOutJob.accountId };
    await run(job, () => deliverEvents(ctx, sender, begin, isOver));
  }
  await Promise.all([...different.values()].map((job) => run(job, () => catchUp(ctx, sender, job, isOver))));
  enqueueSoon(ctx, next);
  await Promise.all([sender.end(), ...pushing]);
  sender.tally.record(ctx);
  // That an account moves is no fault, so any other error comes first.
  if (failures.length > 0) throw failures.find((error) => !moveRefusal(error)) ?? failures[0];
  return { attempts: sender.attempts, pushes };
}

/** Fans out page after page, each while the previous one is being sent. Returns whether another run must continue. */
async function deliverEvents(
  ctx: Context,
  sender: Sender,
  push: (pushes: EventPush[]) => void,
  isOver: () => boolean,
): Promise<boolean> {
  for (;;) {
    const { claimed, unhealthy, pushes, hasMore } = await fanOut(ctx);
    if (pushes.length > 0) push(pushes);
    await send(ctx, sender, claimed);
    enqueueSoon(ctx, unhealthy.map(deliveryJob));
    if (!hasMore) return false;
    await sender.waitForRoom(QUEUED_MAX);
    if (isOver()) return true;
  }
}

/**
 * Attempts the due deliveries of a subscription, batch after batch while its receiver answers. Returns whether another
 * run must continue.
 */
async function catchUp(
  ctx: Context,
  sender: Sender,
  { accountId, subscriptionId }: Omit<DeliveryJobOf<'deliver-webhooks'>, 'type'>,
  isOver: () => boolean,
): Promise<boolean> {
  for (let limit = CLAIMED_WHILE_FAILING; ; limit *= 2) {
    const { claimed, hasMore }: DueDeliveries = await claimDue(ctx, { id: subscriptionId, accountId }, limit);
    await send(ctx, sender, claimed);
    if (!hasMore) return false;
    await sender.waitForRoom(0);
    if (sender.isBarred(subscriptionId)) return false;
    if (isOver()) return true;
  }
}

async function send(ctx: Context, sender: Sender, claimed: DueDeliveries['claimed']): Promise<void> {
  if (claimed.length === 0) return;
  const signers = await getPayloadSigners(
    ctx,
    claimed.map(({ subscription }) => subscription),
  );
  sender.add(claimed, signers);
}
