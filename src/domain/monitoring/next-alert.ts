import type { AlertDefinition, Observation } from './alerts.ts';
import type { ServiceAlert } from './table.ts';

/** Measurements in a row, a minute apart, that raise an alert, and that clear it. */
export const RAISE_TICKS = 5;
export const CLEAR_TICKS = 10;
/** The cron can run twice in a minute; that is one measurement. */
const TICK_MS_MIN = 30_000;

/** Why operators get a mail. */
export type Notice = 'raised' | 'reminder' | 'cleared';

export interface NextAlert {
  /** Undefined: the value is below the limit, and the alert needs no row. */
  row: Omit<ServiceAlert, 'name'> | undefined;
  notice?: Notice;
}

/**
 * Returns the next state of an alert after a measurement; undefined: unchanged. It takes several in a row to raise or
 * to clear it, and the limit to clear is lower. So a value around the limit sends no mails.
 */
export function nextAlert(
  definition: AlertDefinition,
  known: ServiceAlert | undefined,
  seen: Observation,
): NextAlert | undefined {
  const now = seen.at;
  if (known && now - known.tickedAt < TICK_MS_MIN) return undefined;
  const value = definition.value(seen);
  const detail = definition.detail(seen);
  if (known?.raisedAt === undefined || known.raisedAt === null) {
    if (value < definition.raiseAt) return known && { row: undefined };
    const ticks = (known?.ticks ?? 0) + 1;
    if (ticks < RAISE_TICKS) return { row: { raisedAt: null, ticks, tickedAt: now, detail, mailedAt: null } };
    return { row: { raisedAt: now, ticks: 0, tickedAt: now, detail, mailedAt: now }, notice: 'raised' };
  }
  const ticks = value < definition.clearBelow ? known.ticks + 1 : 0;
  if (ticks >= CLEAR_TICKS) return { row: undefined, notice: 'cleared' };
  const { raisedAt, mailedAt } = known;
  const row = { raisedAt, mailedAt, ticks, tickedAt: now, detail };
  if (now - (mailedAt ?? raisedAt) < definition.remindAfterMs) return { row };
  return { row: { ...row, mailedAt: now }, notice: 'reminder' };
}
