/* Replaces the module `cloudflare:workers`, which only exists in workerd, in unit tests. */

/** A Durable Object, from its class's point of view. */
export class DurableObject<Env> {
  protected ctx: DurableObjectState;
  protected env: Env;

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

export class WorkerEntrypoint<Env> {
  protected env: Env;

  constructor(_ctx: ExecutionContext, env: Env) {
    this.env = env;
  }
}
