import { isProofOf, proofOf } from '../../platform/proof.ts';
import type { AccountContext, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { ProcessState } from '../processes/process-state.ts';
import { processStub } from '../processes/process-stub.ts';
import { EXPORT_HOURS, type ExportPlace, isWhole } from './export-files.ts';

/** Path of exports; the account, the process and a proof follow it. */
export const EXPORT_PATH = '/person-exports';

const proven = ({ accountId, processId }: ExportPlace) => ({ purpose: 'person-export', facts: [accountId, processId] });

/**
 * Returns the link to the archive of an export, and when it expires (UTC milliseconds); undefined if there is none.
 * Anyone with the link can open it.
 */
export function exportLink(
  { env, baseUrl, account }: AccountContext,
  processId: string,
  { kind, finishedAt, failed, cancelled, errors }: ProcessState,
): { url: string; validUntil: number } | undefined {
  const isComplete = failed === 0 && cancelled === 0 && Object.keys(errors).length === 0;
  if (kind !== 'export' || finishedAt === null || !isComplete) return undefined;
  const validUntil = finishedAt + EXPORT_HOURS * 3_600_000;
  const place = { accountId: account.id, processId };
  const path = `${EXPORT_PATH}/${account.id}/${processId}/${proofOf(env, proven(place), validUntil)}.zip`;
  return { url: `${baseUrl}${path}`, validUntil };
}

/**
 * Returns the place and the names of the files that a link opens. Throws not found for a link that has expired or isn't
 * ours, and for an export of which an erasure has deleted files.
 */
export async function openExport(
  ctx: Context,
  place: ExportPlace,
  proof: string,
): Promise<{ place: ExportPlace; files: string[] }> {
  if (!isProofOf(ctx.env, proven(place), proof, Date.now())) throw notFound();
  const files = await processStub(ctx, place.processId).files();
  if (!(await isWhole(ctx, place, files))) throw notFound();
  return { place, files };
}
