import { sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import type { ProcessPage } from './process-dump.ts';
import { processStub } from './process-stub.ts';
import { processes } from './table.ts';

/** What a process's object, or the entry of the deployment that has it, does for a backup. */
interface States {
  dump(id: string, place: string | null): Promise<ProcessPage>;
  load(id: string, rows: string, isFirst: boolean, isLast: boolean): Promise<void>;
  destroy(id: string): Promise<void>;
}

/** The objects of the service whose database this is: on this machine an operator has only an entry to them. */
function statesOf(ctx: Context): States {
  return (
    (ctx.env.PROCESS_STATES as States | undefined) ?? {
      dump: async (id, place) => processStub(ctx, id).dump(place),
      load: async (id, rows, isFirst, isLast) => processStub(ctx, id).load(rows, isFirst, isLast),
      destroy: async (id) => processStub(ctx, id).destroy(),
    }
  );
}

/** A page of all that the object of a process keeps, from `place` on. */
export async function readProcess(ctx: Context, id: string, place: string | null): Promise<ProcessPage> {
  const { rows, next } = await statesOf(ctx).dump(id, place);
  return { rows, next };
}

/** Gives the object of a process a page of what it has kept; with the last one it goes on working. */
export function writeProcess(
  ctx: Context,
  { id, rows, isFirst, isLast }: { id: string; rows: string; isFirst: boolean; isLast: boolean },
): Promise<void> {
  return statesOf(ctx).load(id, rows, isFirst, isLast);
}

/** Ends the objects of processes. */
export async function endProcesses(ctx: Context, ids: string[]): Promise<void> {
  await Promise.all(ids.map((id) => statesOf(ctx).destroy(id)));
}

/** Deletes the rows of processes whose objects were ended. */
export async function deleteProcessRows(ctx: Context, ids: string[]): Promise<void> {
  await ctx.db.delete(processes).where(sql`${processes.id} in (select value from json_each(${JSON.stringify(ids)}))`);
}
