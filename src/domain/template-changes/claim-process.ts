import { sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { DomainError, fieldIssue, invalid } from '../errors.ts';
import {
  aboutPage,
  claimAllOf,
  isTakenValue,
  MUST_BE_UNIQUE,
  type PassPage,
  passesOfPage,
  repeatedValues,
} from '../passes/unique-values.ts';
import type { ProcessState, UniqueOperation } from '../processes/process-state.ts';
import { processStub } from '../processes/process-stub.ts';
import type { ClaimProgress } from '../processes/process-work.ts';
import { startProcess } from '../processes/start-process.ts';
import {
  abandonClaims,
  advanceClaims,
  areClaimed,
  type ClaimRun,
  DONE,
  findProcessRun,
  processRunOf,
  processRunPrefix,
} from '../templates/unique-property-changes.ts';

/*
 * A property of a template with many pages of passes becomes unique through a process, because the queries of one
 * request are limited. The request waits for the process and then stores the definition. If it ends before that, a
 * repeat finds the process, or the claims.
 */

/** Longest time for which a request waits: less than until a repeat with its `Idempotency-Key` takes it for dead. */
const WAIT_MS = 4 * 60_000;
const FIRST_POLL_MS = 50;
const POLL_MS_MAX = 2_000;

const ABANDONED = 'its values are no longer being checked; save the template again';

/** Values to claim by a process. */
interface ProcessClaims {
  processId: string;
  templateId: string;
  properties: UniqueOperation['properties'];
  /** Number of the template's passes. */
  passes: number;
}

/**
 * Starts a process that claims values, unless it exists, and waits for it. Returns the run that has claimed all of
 * them; undefined if it was abandoned, and the caller retries. Throws `invalid` with the properties whose values
 * repeat, and `conflict` if the process was canceled or takes longer than a request can wait.
 */
export async function claimInProcess(ctx: AccountContext, claims: ProcessClaims): Promise<ClaimRun | undefined> {
  const { processId, templateId, properties, passes } = claims;
  const operation: UniqueOperation = { kind: 'unique', templateId, properties };
  await startProcess(ctx, { id: processId, operation, items: [], expected: passes });
  const { errors, cancelled } = await endOf(ctx, processId);
  const propertyIds = properties.map(({ id }) => id);
  const run = await findProcessRun(ctx, { templateId, processId }, propertyIds);
  if (run && processRunOf(run.run)?.isDone) return run;
  if (run) await abandonClaims(ctx, run);
  const repeated = Object.keys(errors).filter((name) =>
    errors[name]!.some(({ message }) => message === MUST_BE_UNIQUE),
  );
  if (repeated.length > 0) throw invalid(repeated.map((name) => fieldIssue(name, MUST_BE_UNIQUE)));
  if (cancelled > 0) throw new DomainError('conflict', `Process ${processId}, which checked the values, was canceled`);
  return undefined;
}

/** Waits for the end of a process. It polls: a stream would end with the object that sends it. */
async function endOf(ctx: AccountContext, processId: string): Promise<ProcessState> {
  const end = Date.now() + WAIT_MS;
  for (let wait = FIRST_POLL_MS; ; wait = Math.min(POLL_MS_MAX, wait * 2)) {
    const state = await processStub(ctx, processId).state();
    if (state.finishedAt !== null) return state;
    if (Date.now() >= end) {
      const message = `Process ${processId} is still checking the values; repeat the request when it has ended`;
      throw new DomainError('conflict', message);
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** Claims the next page of a process; see `ClaimWork`. If values repeat, abandons the run. */
export async function claimProcessPage(
  ctx: AccountContext,
  processId: string,
  { templateId, properties }: UniqueOperation,
): Promise<ClaimProgress> {
  const propertyIds = properties.map(({ id }) => id);
  const errorsOf = (message: string, named = properties) => ({
    errors: Object.fromEntries(named.map(({ name }) => [name, message])),
  });
  const find = () => findProcessRun(ctx, { templateId, processId }, propertyIds);
  const run = await find();
  if (!run) return errorsOf(ABANDONED);
  const { claimed, after, isDone } = processRunOf(run.run)!;
  if (isDone) return progressOf(run);
  const page: PassPage = { after, passes: passesOfPage(propertyIds.length) };
  const end = sql`case when count(*) < ${page.passes} then ${DONE} else max(page.id) end`;
  const name = aboutPage(
    ctx,
    templateId,
    page,
    sql`${processRunPrefix(processId)} || cast(${claimed} + count(*) as integer) || '/' || ${end}`,
  );
  try {
    const [, [advanced]] = await ctx.db.batch([
      claimAllOf(ctx, templateId, propertyIds, areClaimed(ctx, run, propertyIds), page),
      advanceClaims(ctx, run, propertyIds, name),
    ]);
    const next = advanced?.run ? { templateId, run: advanced.run } : await find();
    return next ? progressOf(next) : errorsOf(ABANDONED);
  } catch (error) {
    if (!isTakenValue(error)) throw error;
    const repeated = await repeatedValues(ctx, templateId, propertyIds, page);
    // A pass that held the value has released it since.
    if (repeated.size === 0) return progressOf(run);
    await abandonClaims(ctx, run);
    return errorsOf(
      MUST_BE_UNIQUE,
      properties.filter(({ id }) => repeated.has(id)),
    );
  }
}

function progressOf({ run }: ClaimRun): ClaimProgress {
  const { claimed, after, isDone } = processRunOf(run)!;
  return { claimed, after, isLast: isDone };
}
