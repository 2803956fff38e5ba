/* What unit tests have in place of the module `cloudflare:workers`, which only workerd knows. */

/** A Durable Object as its class sees it. */
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
