import * as z from 'zod';
import { type DomainError, fieldIssue, type Issue, invalid } from './errors.ts';
import { EMAIL_HINT, URL_HINT, UUID_HINT } from './fields.ts';

const IS_REQUIRED = 'is required';

/** Uses the service's own message where a schema defines none: zod's messages address programmers. */
z.config({ customError: (issue) => (issue.input === undefined ? IS_REQUIRED : plainMessage(issue)) });

/** Parses input with a schema. Throws an `invalid` error with one issue per field. */
export function checked<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (!result.success) throw invalidInput(result.error.issues);
  return result.data;
}

const ISSUES_MAX = 20;

/** Creates the error for failed checks. `within` is prepended to each path. */
export function invalidInput(issues: readonly z.core.$ZodIssue[], within: PropertyKey[] = []): DomainError {
  // Zod also checks the length of a text in place of a list.
  const ofType = issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join());
  const told = issues.filter(({ code, path }) => code === 'invalid_type' || !ofType.includes(path.join()));
  return invalid(told.slice(0, ISSUES_MAX).map((issue) => issueOf(issue, within)));
}

/** Converts an issue from zod to one with the service's message. `within` is prepended to its path. */
export function issueOf(issue: z.core.$ZodIssue, within: PropertyKey[] = []): Issue {
  const message = messageOf(issue);
  return fieldIssue(
    [...within, ...issue.path].map(String).join('.'),
    message,
    message === IS_REQUIRED ? 'required' : issue.code,
  );
}

function messageOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
}

const TYPES: Record<string, string> = {
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be an integer',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
  record: 'must be an object',
};

const FORMATS: Record<string, string> = {
  email: EMAIL_HINT,
  url: URL_HINT,
  uuid: UUID_HINT,
};

const COUNTED: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

/** Returns undefined where the service has no message of its own, so zod's applies. */
function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected];
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_small':
      return `must ${bounded(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)}`;
    case 'too_big':
      return `must ${bounded(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'has the wrong format';
    default:
      return undefined;
  }
}

function bounded(origin: string, side: string, limit: number | bigint): string {
  const counted = COUNTED[origin];
  return counted ? `have ${side} ${limit} ${counted[limit === 1 ? 0 : 1]}` : `be ${side} ${limit}`;
}
