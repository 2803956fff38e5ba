import { WorkerEntrypoint } from 'cloudflare:workers';
import type { Env } from '../../platform/env.ts';
import type { ProcessPage } from './process-dump.ts';
import type { ProcessObject } from './process-object.ts';

/**
 * Access to the states of processes for a Worker elsewhere: the backup of a deployment reaches its objects through a
 * service binding to this entrypoint. Nothing else can call it; it answers no request from the network.
 */
export class ProcessStates extends WorkerEntrypoint<Env> {
  /** See `ProcessObject.dump`. */
  async dump(id: string, place: string | null): Promise<ProcessPage> {
    return this.#stub(id).dump(place);
  }

  /** See `ProcessObject.load`. */
  async load(id: string, rows: string, isFirst: boolean, isLast: boolean): Promise<void> {
    await this.#stub(id).load(rows, isFirst, isLast);
  }

  /** See `ProcessObject.destroy`. */
  async destroy(id: string): Promise<void> {
    await this.#stub(id).destroy();
  }

  #stub(id: string): DurableObjectStub<ProcessObject> {
    const objects = this.env.PROCESSES as DurableObjectNamespace<ProcessObject>;
    return objects.get(objects.idFromName(id));
  }
}
