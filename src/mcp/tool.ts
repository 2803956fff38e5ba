import type * as z from 'zod';
import type { Scope } from '../domain/api-keys/scopes.ts';
import { notFound } from '../domain/errors.ts';

/** A request of the API that a tool stands for. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** Sent as `Idempotency-Key`. */
  idempotencyKey?: string;
}

/** Hints about the effect of a tool, for assistants that decide whether to call it. */
export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  /** Whether it reaches beyond the account, such as people's phones. */
  openWorldHint: boolean;
}

/** What a failed call offers in place of an argument that names nothing. */
export interface Choices {
  argument: string;
  request: ApiRequest;
  /** The choices as a sentence, from the reply to `request`. */
  describe(reply: unknown): string;
}

type Args = z.ZodObject;

/** One tool: a request of the API, with arguments of the same names, and what of the reply its result shows. */
export interface Tool<I extends Args = Args, O extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  /** The operation of the contract that it calls; a test compares scope and names with it. */
  operation: string;
  scope: Scope;
  /** Whether keys that are restricted to templates may not call it. */
  wholeAccount?: boolean;
  hints: ToolHints;
  input: I;
  /** Members that it doesn't name are left out of the result. */
  output: O;
  /** Throws `DomainError` for what no request can say. */
  request(args: z.output<I>): ApiRequest;
  /** The result from the body of the reply. */
  result(reply: unknown, args: z.output<I>, status: number): z.input<O>;
  /** The next step where the API knows nothing of that name. */
  ifUnknown?: string;
  /** The next step where an argument was refused. */
  ifInvalid?: string;
  choices?: Choices;
}

/** A tool whose functions get arguments of the types of its schema. */
export function tool<I extends Args, O extends z.ZodObject>(definition: Tool<I, O>): Tool {
  // Arguments are parsed by `input` before `request` and `result` get them.
  return definition as unknown as Tool;
}

/** Reads without any effect. */
export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Adds something, and takes nothing away. */
export const ADDS: ToolHints = { ...READS, readOnlyHint: false, idempotentHint: false };

/** Changes what is there: a repeat changes nothing more. */
export const CHANGES: ToolHints = { ...READS, readOnlyHint: false, destructiveHint: true };

/** One segment of a path. Throws not found for `.` and `..`, which a URL resolves into another path. */
export function segment(name: string): string {
  if (name === '.' || name === '..') throw notFound();
  return encodeURIComponent(name);
}
