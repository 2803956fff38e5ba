import type * as z from 'zod';
import type { Scope } from '../domain/api-keys/scopes.ts';
import { notFound } from '../domain/errors.ts';

/** The API request of a tool call. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** Sent as `Idempotency-Key`. */
  idempotencyKey?: string;
}

/** Hints about the effect of a tool, for assistants that decide whether to call it. */
interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  /** Whether it reaches beyond the account, such as people's phones. */
  openWorldHint: boolean;
}

/** Choices that a failed call offers for an argument that names something unknown. */
export interface Choices {
  argument: string;
  request: ApiRequest;
  /** Describes the choices in a sentence, from the reply to `request`. */
  describe(reply: unknown): string;
}

type Args = z.ZodObject;

/** A tool: an API request with arguments of the same names, and the part of the reply that its result shows. */
export interface Tool<I extends Args = Args, O extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  /** The operation that it calls. A test compares the scope and argument names with it. */
  operation: string;
  scope: Scope;
  /** Whether it is closed to keys that are restricted to templates. */
  isAccountWide?: boolean;
  hints: ToolHints;
  input: I;
  /** Members that aren't in this schema are left out of the result. */
  output: O;
  /** Builds the request. Throws `DomainError` for arguments that no request can express. */
  request(args: z.output<I>): ApiRequest;
  /** Builds the result from the reply's body. */
  result(reply: unknown, args: z.output<I>, status: number): z.input<O>;
  /** Next step if the API doesn't find what an argument names. */
  ifUnknown?: string;
  /** Next step if an argument was refused. */
  ifInvalid?: string;
  choices?: Choices;
}

/** Creates a tool. Its functions get arguments with the types of its schema. */
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

/** Adds something without removing anything. */
export const ADDS: ToolHints = { ...READS, readOnlyHint: false, idempotentHint: false };

/** Changes existing data. A repeat changes nothing more. */
export const CHANGES: ToolHints = { ...READS, readOnlyHint: false, destructiveHint: true };

/** Encodes a path segment. Throws `not_found` for `.` and `..`, which would resolve to another path. */
export function segment(name: string): string {
  if (name === '.' || name === '..') throw notFound();
  return encodeURIComponent(name);
}
