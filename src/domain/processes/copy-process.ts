import { sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import type { ProcessPage } from './process-dump.ts';
import { processStub } from './process-stub.ts';
import { processes } from './table.ts';

/** Backup operations of a process's object, or of the entrypoint of the deployment that has it. */
interface States {
  dump(id: string, place: string | null): Promise<ProcessPage>;
  load(id: string, rows: string, isFirst: boolean, isLast: boolean): Promise<void>;
  destroy(id: string): Promise<void>;
}

/**
 * Returns access to the objects of the service whose database this is. On a local machine, an operator reaches them
 * only through an entrypoint.
 */
function statesOf(ctx: Context): States {
  return (
    (ctx.env.PROCESS_STATES as States | undefined) ?? {
      dump: async (id, place) => processStub(ctx, id).dump(place),
      load: async (id, rows, isFirst, isLast) => processStub(ctx, id).load(rows, isFirst, isLast),
      destroy: async (id) => processStub(ctx, id).destroy(),
    }
  );
}

/** Returns a page of the stored state of a process's object, starting at `place`. */
export async function readProcess(ctx: Context, id: string, place: string | null): Promise<ProcessPage> {
  const { rows, next } = await statesOf(ctx).dump(id, place);
  return { rows, next };
}

/** Writes a page of stored state to the object of a process, which resumes its work with the last page. */
export function writeProcess(
  ctx: Context,
  { id, rows, isFirst, isLast }: { id: string; rows: string; isFirst: boolean; isLast: boolean },
): Promise<void> {
  return statesOf(ctx).load(id, rows, isFirst, isLast);
}

/** Destroys the objects of processes. */
export async function endProcesses(ctx: Context, ids: string[]): Promise<void> {
  await Promise.all(ids.map((id) => statesOf(ctx).destroy(id)));
}

/** Deletes the rows of processes whose objects were destroyed. */
export async function deleteProcessRows(ctx: Context, ids: string[]): Promise<void> {
  await ctx.db.delete(processes).where(sql`${processes.id} in (select value from json_each(${JSON.stringify(ids)}))`);
}
