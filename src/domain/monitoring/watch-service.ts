import { and, desc, eq, isNotNull, lte, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { uuidv7 } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { unlinked } from '../../platform/unlinked.ts';
import { HAS_CHANGED } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { recordMetric } from '../metrics/record-metric.ts';
import { users } from '../users/table.ts';
import {
  ALERTS,
  type AlertDefinition,
  DAY_MS,
  docsOf,
  type Observation,
  shownCertificates,
  type TaskOutcome,
} from './alerts.ts';
import { listEnding, serviceCertificatesQuery, toEnding } from './ending-certificates.ts';
import { BACKLOGS, gaugeStatements, measurementOf } from './gauges.ts';
import { keepSample, othersQuery, presentHourQuery, silentOf, tasksOf, valuesOf, withOthers } from './samples.ts';
import { sendOperatorMails, shownSpan } from './send-operator-mails.ts';
import { operatorMails, type ServiceAlert, serviceAlerts, serviceSamples } from './table.ts';

/**
 * Cron task: measures the service, stores samples, and raises and clears alerts, in two round trips. `runs` are the
 * outcomes of this run's other tasks. Mails commit with their alert's state; then due mails are sent.
 */
export async function watchService(ctx: Context, runs: TaskOutcome[], now = Date.now()): Promise<void> {
  const [[hour], alerts, due, others, own, ...gauges] = await ctx.db.batch([
    presentHourQuery(ctx, now),
    ctx.db.select().from(serviceAlerts),
    ctx.db.select({ mailId: operatorMails.mailId }).from(operatorMails).where(lte(operatorMails.dueAt, now)).limit(1),
    othersQuery(ctx),
    serviceCertificatesQuery(ctx, now),
    ...gaugeStatements(ctx, now),
  ]);
  const silent = silentOf(others, now);
  const tasks = [...runs, ...tasksOf(others)];
  const serviceCertificates = own.map(toEnding);
  const measured = withOthers(await measurementOf(ctx, gauges, now), others);
  const seen: Observation = { ...measured, tasks, silent, serviceCertificates };
  const known = new Map(alerts.map((alert) => [alert.name, alert]));
  const changes: BatchItem<'sqlite'>[] = [];
  for (const [name, definition] of Object.entries(ALERTS)) {
    const before = known.get(name);
    const next = nextAlert(definition, before, seen);
    if (!next) continue;
    const detail = await mailedDetail(ctx, definition, next, seen);
    changes.push(...changeAlert(ctx, { name, definition, before, next, seen, detail }));
  }
  await commit(ctx, [...keepSample(ctx, seen, hour), ...changes]);
  recordGauges(ctx, seen);
  if (due.length > 0 || changes.length > 0) await sendOperatorMails(ctx, now);
}

/** Time since the last measurement after which the last run of the cron counts as ended by the platform. */
const LATE_MS = 90_000;

/**
 * Cron task that runs before the others: measures the service if the last run didn't get that far, because it exceeded
 * the limits of its invocation. Otherwise, it reads one row.
 */
export async function watchLateCron(ctx: Context, now = Date.now()): Promise<void> {
  const { period, startsAt, measuredAt } = serviceSamples;
  const [last] = await ctx.db
    .select({ measuredAt })
    .from(serviceSamples)
    .where(eq(period, 'hour'))
    .orderBy(desc(startsAt))
    .limit(1);
  if (last && last.measuredAt < now - LATE_MS) await watchService(ctx, [{ task: 'cron', status: 'overdue' }], now);
}

interface Change {
  name: string;
  definition: AlertDefinition;
  before: ServiceAlert | undefined;
  next: NextAlert;
  seen: Observation;
  /** The detail in mails. */
  detail: string;
}

/**
 * Returns the detail of an alert for mails, which name every certificate. It takes further round trips. If a database
 * doesn't answer, the mail names those that are measured. Names that accounts chose don't become links.
 */
async function mailedDetail(
  ctx: Context,
  { detail, certificateDays: days }: AlertDefinition,
  { notice }: NextAlert,
  seen: Observation,
): Promise<string> {
  if (days === undefined) return detail(seen);
  if (notice !== 'raised' && notice !== 'reminder') return unlinked(detail(seen));
  try {
    return unlinked(shownCertificates(await listEnding(ctx, days, seen.at)));
  } catch (error) {
    logLine('error', { event: 'ending-certificates', requestId: ctx.requestId, error: describeError(error) });
    return unlinked(detail(seen));
  }
}

/**
 * Builds the statements that write an alert and, unless another run of the cron did so first, the mails to operators.
 */
function changeAlert(ctx: Context, change: Change): BatchItem<'sqlite'>[] {
  const { name, before, next, seen } = change;
  const isBefore = and(eq(serviceAlerts.name, name), eq(serviceAlerts.tickedAt, before?.tickedAt ?? 0));
  const write = !before
    ? ctx.db
        .insert(serviceAlerts)
        .values({ ...next.row!, name })
        .onConflictDoNothing()
    : next.row
      ? ctx.db.update(serviceAlerts).set(next.row).where(isBefore)
      : ctx.db.delete(serviceAlerts).where(isBefore);
  if (!next.notice) return [write];
  const { subject, lines } = mailOf(change, next.notice);
  const mail = ctx.db.insert(operatorMails).select(
    ctx.db
      .select({
        mailId: sql`${uuidv7(0, seen.at)}`.as('mail_id'),
        userId: sql`${users.id}`.as('user_id'),
        subject: sql`${subject}`.as('subject'),
        lines: sql`${JSON.stringify(lines)}`.as('lines'),
        createdAt: sql`${seen.at}`.as('created_at'),
        dueAt: sql`${seen.at}`.as('due_at'),
      })
      .from(users)
      .where(and(isNotNull(users.operatorSince), HAS_CHANGED)),
  );
  return [write, mail];
}

const SUBJECTS: Record<Notice, string> = { raised: 'Alert', reminder: 'Still raised', cleared: 'Cleared' };

function mailOf({ definition, before, seen, detail }: Change, notice: Notice) {
  const { title, nextStep } = definition;
  const since = shownSpan(seen.at - (before?.raisedAt ?? seen.at));
  const lines =
    notice === 'cleared'
      ? [`This alert is over. It was raised for ${since}.`, detail]
      : [
          ...(notice === 'reminder' ? [`This alert has been raised for ${since}.`] : []),
          detail,
          `Next step: ${nextStep}`,
          `Read more: ${docsOf(definition)}`,
        ];
  return { subject: `${SUBJECTS[notice]}: ${title}`, lines: lines.filter((line) => line !== '') };
}

/** Records a data point for each gauge, and for each certificate that expires soon. */
function recordGauges(ctx: Context, seen: Observation): void {
  const ages: Record<string, number | null> = Object.fromEntries(
    BACKLOGS.map((name) => [name, seen.backlog[name].oldestMs]),
  );
  for (const [name, value] of Object.entries(valuesOf(seen))) {
    recordMetric(ctx, { kind: 'gauge', name, value, ageMs: ages[name] ?? 0 });
  }
  for (const { passTypeId, accountId, validTo } of seen.certificates) {
    const days = Math.floor((validTo - seen.at) / (24 * 3_600_000));
    recordMetric(ctx, { kind: 'gauge', name: 'certificateDays', outcome: passTypeId, value: days, accountId });
  }
}

/** Measurements in a row, a minute apart, that raise an alert, and that clear it. */
export const RAISE_TICKS = 5;
export const CLEAR_TICKS = 10;
/** The cron can run twice in a minute; that is one measurement. */
const TICK_MS_MIN = 30_000;

/** Why operators get a mail. */
type Notice = 'raised' | 'reminder' | 'cleared';

interface NextAlert {
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
  if (now - (mailedAt ?? raisedAt) < (definition.remindAfterMs ?? DAY_MS)) return { row };
  return { row: { ...row, mailedAt: now }, notice: 'reminder' };
}
