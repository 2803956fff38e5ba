import { isProofOf, proofOf } from '../../platform/proof.ts';
import type { AccountContext, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { ProcessState } from '../processes/process-state.ts';
import { processStub } from '../processes/process-stub.ts';
import { EXPORT_HOURS, type ExportPlace, isWhole } from './export-files.ts';

/** Where exports are fetched; the rest of the address is account, process, and a proof. */
export const EXPORT_PATH = '/person-exports';

const proven = ({ accountId, processId }: ExportPlace) => ({ purpose: 'person-export', facts: [accountId, processId] });

/**
 * The link to the archive of an export, and until when it is valid (UTC milliseconds); undefined while there is none.
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
 * What a link opens: where the files lie, and their names. Throws not found for one that has ended or isn't ours, and
 * for an export of which an erasure has deleted files.
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
