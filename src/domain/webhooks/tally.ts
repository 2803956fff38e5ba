import type { Context } from '../context.ts';
import { type Deliveries, noteDeliveries } from '../metrics/outcomes.ts';
import type { DeliveryState } from './table.ts';
import { type DeliveryOutcome, lagOf } from './write-health.ts';

/** Outcome names in data points, by the state of a delivery after an attempt. */
const OUTCOMES: Record<DeliveryState, keyof Deliveries> = {
  delivered: 'delivered',
  waiting: 'retry',
  failed: 'failed',
};

/** Counts the attempts of a run by outcome, for its data point. */
export class DeliveryTally {
  #sums: Deliveries = {};

  add(outcomes: DeliveryOutcome[]): void {
    for (const outcome of outcomes) {
      const name = OUTCOMES[outcome.state];
      const { count, durationMs, ageMs } = this.#sums[name] ?? { count: 0, ageMs: 0, durationMs: 0 };
      this.#sums[name] = {
        count: count + 1,
        ageMs: Math.max(ageMs, lagOf(outcome)),
        durationMs: Math.max(durationMs, outcome.attempt.durationMs),
      };
    }
  }

  record(ctx: Context): void {
    noteDeliveries(ctx, this.#sums);
  }
}
