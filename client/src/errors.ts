/** One problem with a request, in the same shape for all versions of the API. */
export interface Issue {
  /** The field, such as `data.expirationDate`; empty if the issue is about the whole request. */
  path: string;
  /** What is wrong, and how to fix it. */
  message: string;
}

/** Details of a failed call. */
export interface Failure {
  operation: string;
  status: number;
  issues: Issue[];
  body?: unknown;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  attempts: number;
  cause?: unknown;
}

/** A call that the service refused, or that got no reply. */
export class PassWalletError extends Error {
  /** `operationId` of the call. */
  readonly operation: string;
  /** HTTP status; 0 if no reply arrived. */
  readonly status: number;
  readonly issues: Issue[];
  /** Body of the reply: parsed JSON, or a text. */
  readonly body: unknown;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry, if the service sent them. */
  readonly retryAfter: number | undefined;
  /** Number of times the request was sent. */
  readonly attempts: number;

  constructor({ operation, status, issues, body, requestId, retryAfter, attempts, cause }: Failure) {
    const reason = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
    super(`${operation}: ${reason}`, { cause });
    this.name = 'PassWalletError';
    this.operation = operation;
    this.status = status;
    this.issues = issues;
    this.body = body;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.attempts = attempts;
  }
}

/** Reads the issues of an error body: `errors` of versions 2 and 3, `ErrorMessage` of version 1. */
export function issuesOf(status: number, body: unknown): Issue[] {
  const { errors, ErrorMessage } = Object(body) as { errors?: unknown; ErrorMessage?: unknown };
  const texts = Array.isArray(errors) ? errors : typeof ErrorMessage === 'string' ? ErrorMessage.split('; ') : [];
  const issues = texts.map(String).filter(Boolean).map(toIssue);
  return issues.length > 0 ? issues : [{ path: '', message: `The service answered with status ${status}` }];
}

/** A field name has no space before its first dot. Property names after it may contain spaces. */
const FIELD = /^([^\s:.[]+(?:[.[][^:]*)?): (.+)$/s;

function toIssue(text: string): Issue {
  const [, path = '', message = text] = FIELD.exec(text) ?? [];
  return { path, message };
}
