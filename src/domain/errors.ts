/** The HTTP status of each kind of error, on every surface. */
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

/** One thing that is wrong with a request. */
export interface Issue {
  /** The field, such as `data.expirationDate`; empty when it is not about one field. */
  path: string;
  /** `required`, a code of zod, or the kind of the error. */
  code: string;
  /** The error, then how to fix it; never shows internals. */
  message: string;
}

/** An issue of a field, for `DomainError`. */
export function fieldIssue(path: string, message: string, code = 'invalid'): Issue {
  return { path, code, message };
}

/** An issue as one line of text, `field: what is wrong`. */
export function describeIssue({ path, message }: Issue): string {
  return path === '' ? message : `${path}: ${message}`;
}

/** Issues as one line of text. */
export function describeIssues(issues: Issue[]): string {
  return issues.map(describeIssue).join('; ');
}

/** An error that is the caller's to read; `message` joins the texts of its issues. */
export class DomainError extends Error {
  kind: ErrorKind;
  issues: Issue[];
  /** For `too_many_requests` and `unavailable`: when the caller may come back. */
  retryAfterSeconds?: number;

  constructor(kind: ErrorKind, issues: string | Issue | Issue[]) {
    const list = typeof issues === 'string' ? [fieldIssue('', issues, kind)] : [issues].flat();
    super(describeIssues(list));
    this.name = 'DomainError';
    this.kind = kind;
    this.issues = list;
  }
}

/** A request that a rule refuses (400); a text is about the request as a whole. */
export function invalid(issues: string | Issue[]): DomainError {
  return new DomainError('invalid', issues);
}

/** A request that is refused for one field (400). */
export function invalidField(path: string, message: string, code?: string): DomainError {
  return new DomainError('invalid', fieldIssue(path, message, code));
}

/**
 * A request beyond a limit (429); it may come again after `retryAfterSeconds`, which the reply says in `Retry-After`.
 */
export function tooManyRequests(message: string, retryAfterSeconds: number): DomainError {
  const error = new DomainError('too_many_requests', message);
  error.retryAfterSeconds = retryAfterSeconds;
  return error;
}

/** Does `work` on input that stands at `path`: the issues of fields name the field from there. */
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

/** A resource that is unknown, or foreign, which is the same to a caller. */
export function notFound(): DomainError {
  return new DomainError('not_found', 'Object not found');
}
