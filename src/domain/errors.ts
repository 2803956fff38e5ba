/** HTTP status of each kind of error, on every surface. */
export const ERROR_STATUS = {
  invalid: 400,
  unauthorized: 401,
  suspended: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  too_many_requests: 429,
  unavailable: 503,
} as const;

/** Kinds of errors for a caller. */
export type ErrorKind = keyof typeof ERROR_STATUS;

/** A problem of a request. */
export interface Issue {
  /** The field, such as `data.expirationDate`; empty if the problem isn't about a single field. */
  path: string;
  /** `required`, a zod code, or the kind of the error. */
  code: string;
  /** The problem, then how to fix it. Never shows internals. */
  message: string;
}

/** Creates an issue of a field, for `DomainError`. */
export function fieldIssue(path: string, message: string, code = 'invalid'): Issue {
  return { path, code, message };
}

/** Returns an issue as one line of text, `field: problem`. */
export function describeIssue({ path, message }: Issue): string {
  return path === '' ? message : `${path}: ${message}`;
}

/** Returns issues as one line of text. */
export function describeIssues(issues: Issue[]): string {
  return issues.map(describeIssue).join('; ');
}

/** An error that is shown to the caller. `message` joins the texts of its issues. */
export class DomainError extends Error {
  kind: ErrorKind;
  issues: Issue[];
  /** For `too_many_requests` and `unavailable`: when the caller may retry. */
  retryAfterSeconds?: number;

  constructor(kind: ErrorKind, issues: string | Issue | Issue[]) {
    const list = typeof issues === 'string' ? [fieldIssue('', issues, kind)] : [issues].flat();
    super(describeIssues(list));
    this.name = 'DomainError';
    this.kind = kind;
    this.issues = list;
  }
}

/** Creates the error of a request that breaks a rule (400). A plain text is about the request as a whole. */
export function invalid(issues: string | Issue[]): DomainError {
  return new DomainError('invalid', issues);
}

/** Creates the error of a request with one invalid field (400). */
export function invalidField(path: string, message: string, code?: string): DomainError {
  return new DomainError('invalid', fieldIssue(path, message, code));
}

/** Creates the error of a request above a limit (429). The reply has `retryAfterSeconds` in `Retry-After`. */
export function tooManyRequests(message: string, retryAfterSeconds: number): DomainError {
  const error = new DomainError('too_many_requests', message);
  error.retryAfterSeconds = retryAfterSeconds;
  return error;
}

/** Runs `work` on the input at `path`, and prefixes the fields of its issues with that path. */
export async function within<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new DomainError(
      error.kind,
      error.issues.map((issue) => (issue.path === '' ? issue : { ...issue, path: `${path}.${issue.path}` })),
    );
  }
}

/** Creates the error for a resource that is unknown or belongs to another account. Callers can't tell the two apart. */
export function notFound(): DomainError {
  return new DomainError('not_found', 'Object not found');
}
