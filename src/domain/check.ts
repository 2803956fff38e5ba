import type { z } from 'zod';
import { type DomainError, invalid } from './errors.ts';

/** Parses input with a schema; throws an `invalid` error with one message a field, `path: what is wrong`. */
export function checked<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (!result.success) throw invalidInput(result.error.issues);
  return result.data;
}

const MESSAGES_MAX = 20;

/** The error for failed checks; `within` is put before each path. */
export function invalidInput(issues: readonly z.core.$ZodIssue[], within: PropertyKey[] = []): DomainError {
  const messages = issues.slice(0, MESSAGES_MAX).map((issue) => {
    const path = [...within, ...issue.path].map(String).join('.');
    return path ? `${path}: ${messageOf(issue)}` : messageOf(issue);
  });
  return invalid(messages);
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return missing && issue.message.includes('received undefined') ? 'is required' : issue.message;
}
