import type * as z from 'zod';
import { checked } from '../domain/check.ts';
import type { Context } from '../domain/context.ts';

/** One thing an operator can do. The reply is JSON; times in it are ISO 8601. */
export interface AdminCommand {
  /**
   * What the command line shows, empty for what only scripts ask for; files named there are read by the script, which
   * sends their contents.
   */
  usage: string;
  /** Checks the options and does it. Throws `DomainError`, naming options by their name. */
  run(ctx: Context, options: unknown): Promise<unknown>;
}

/** Makes a command; options beside those of the schema are refused. */
export function command<S extends z.ZodObject>(
  usage: string,
  options: S,
  run: (ctx: Context, options: z.output<S>) => Promise<unknown>,
): AdminCommand {
  const schema = options.strict();
  return {
    usage,
    run: async (ctx, input) => run(ctx, checked(schema, input) as z.output<S>),
  };
}
