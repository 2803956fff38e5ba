import type { Context } from '../context.ts';
import { recordMetric } from '../metrics/record-metric.ts';
import type { DeliveryState } from './table.ts';
import { type DeliveryOutcome, lagOf } from './write-health.ts';

/** Outcome names in data points, by the state of a delivery after an attempt. */
const OUTCOMES: Record<DeliveryState, string> = { delivered: 'delivered', waiting: 'retry', failed: 'failed' };

interface Sum {
  value: number;
  /** Maximum, in milliseconds. */
  ageMs: number;
  durationMs: number;
}

/** Counts the attempts of a run by outcome: a run makes hundreds of attempts, and writes three data points. */
export class DeliveryTally {
  #sums = new Map<DeliveryState, Sum>();

  add(outcomes: DeliveryOutcome[]): void {
    for (const outcome of outcomes) {
      const { value, ageMs, durationMs } = this.#sums.get(outcome.state) ?? { value: 0, ageMs: 0, durationMs: 0 };
      this.#sums.set(outcome.state, {
        value: value + 1,
        ageMs: Math.max(ageMs, lagOf(outcome)),
        durationMs: Math.max(durationMs, outcome.attempt.durationMs),
      });
    }
  }

  record(ctx: Context): void {
    for (const [state, sum] of this.#sums) {
      recordMetric(ctx, { kind: 'delivery', name: 'webhook', outcome: OUTCOMES[state], ...sum });
    }
  }
}
