import type { Context } from '../context.ts';
import type { ProcessObject } from './process-object.ts';

/** The object of a process. It exists from the first call on, so ask only for processes that are known. */
export function processStub(ctx: Context, id: string): DurableObjectStub<ProcessObject> {
  const objects = ctx.env.PROCESSES as DurableObjectNamespace<ProcessObject>;
  return objects.get(objects.idFromName(id));
}
