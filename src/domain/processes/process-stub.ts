import type { Context } from '../context.ts';
import type { ProcessObject } from './process-object.ts';

/** Returns the object of a process. The first call creates it, so use it only for known processes. */
export function processStub(ctx: Context, id: string): DurableObjectStub<ProcessObject> {
  const objects = ctx.env.PROCESSES as DurableObjectNamespace<ProcessObject>;
  return objects.get(objects.idFromName(id));
}
