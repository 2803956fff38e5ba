import type { Meter } from '../../platform/db.ts';
import type { Context } from '../context.ts';
import { type Metric, recordMetric } from './record-metric.ts';

/*
 * Outcomes of deliveries and of pushes to Apple are columns of the data point of their job: a data point costs a
 * quarter of a written row.
 */

/** Attempts with one outcome. */
export interface Attempts {
  count: number;
  /** Milliseconds of the slowest one. */
  durationMs: number;
  /** Largest lag in milliseconds. */
  ageMs: number;
}

const DELIVERIES = ['delivered', 'retry', 'failed'] as const;
const PUSHES = ['sent', 'gone', 'retry', 'refused'] as const;

/** Deliveries of a job by outcome. */
export type Deliveries = Partial<Record<(typeof DELIVERIES)[number], Attempts>>;
/** Devices that the pushes of a job were for, by outcome. */
export type Pushes = Partial<Record<(typeof PUSHES)[number], number>>;

const NO_ATTEMPTS: Attempts = { count: 0, durationMs: 0, ageMs: 0 };

/** Accounts of a job whose pushes are counted separately: an invocation may write 250 data points. */
const ACCOUNTS_MAX = 100;

interface Outcomes {
  deliveries: Deliveries;
  /** By account. */
  pushes: Map<string, Pushes>;
}

const noted = new WeakMap<Meter, Outcomes>();

function outcomesOf({ meter }: Pick<Context, 'meter'>): Outcomes {
  const outcomes = noted.get(meter) ?? { deliveries: {}, pushes: new Map() };
  noted.set(meter, outcomes);
  return outcomes;
}

/** Notes the outcomes of a job's deliveries. */
export function noteDeliveries(ctx: Context, deliveries: Deliveries): void {
  outcomesOf(ctx).deliveries = deliveries;
}

/** Adds to the outcomes of a job's pushes. */
export function notePushes(ctx: Context, accountId: string, outcome: keyof Pushes, devices: number): void {
  const { pushes } = outcomesOf(ctx);
  const owner = pushes.has(accountId) || pushes.size < ACCOUNTS_MAX ? accountId : '';
  const ofOwner = pushes.get(owner) ?? {};
  pushes.set(owner, { ...ofOwner, [outcome]: (ofOwner[outcome] ?? 0) + devices });
}

/** Writes the data point of a job or task with its outcomes, and one for the pushes of each other account. */
export function recordUnit(ctx: Context, unit: Metric): void {
  const { deliveries, pushes } = outcomesOf(ctx);
  recordMetric(ctx, { ...unit, figures: figuresOf(deliveries, pushes.get(unit.accountId ?? '')) });
  for (const [accountId, some] of pushes) {
    if (accountId === (unit.accountId ?? '')) continue;
    const figures = figuresOf({}, some);
    recordMetric(ctx, { kind: 'job', name: 'push-passes', outcome: 'done', accountId, value: 0, figures });
  }
}

function figuresOf(deliveries: Deliveries, pushes: Pushes = {}): number[] {
  if (Object.keys(deliveries).length + Object.keys(pushes).length === 0) return [];
  return [
    ...DELIVERIES.flatMap((outcome) => {
      const { count, durationMs, ageMs } = deliveries[outcome] ?? NO_ATTEMPTS;
      return [count, durationMs, ageMs];
    }),
    ...PUSHES.map((outcome) => pushes[outcome] ?? 0),
  ];
}
