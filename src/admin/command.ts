import * as z from 'zod';
import { checked } from '../domain/check.ts';
import type { Context } from '../domain/context.ts';

/** A command for operators. The reply is JSON; times in it are ISO 8601. */
export interface AdminCommand {
  /**
   * Usage text on the command line; empty for commands that only scripts call. The script reads the files named there
   * and sends their contents.
   */
  usage: string;
  /** Checks the options and runs the command. Throws a `DomainError` that names the wrong options. */
  run(ctx: Context, options: unknown): Promise<unknown>;
}

/** Options that name an account, or nothing for the service. */
export const OfAccountOrService = z.object({ account: z.string().optional() });

/** Formats UTC milliseconds as ISO 8601. */
export function iso(millis: number): string {
  return new Date(millis).toISOString();
}

/** Creates a command that refuses options outside its schema. */
export function command<S extends z.ZodObject>(
  usage: string,
  options: S,
  run: (ctx: Context, options: z.output<S>) => Promise<unknown>,
): AdminCommand {
  const schema = options.strict();
  return { usage, run: async (ctx, input) => run(ctx, checked(schema, input) as z.output<S>) };
}
