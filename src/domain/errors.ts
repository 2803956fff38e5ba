/** What can go wrong for a caller; each surface gives a kind its own status and shape. */
export type ErrorKind =
  | 'invalid'
  | 'unauthorized'
  /** The account is suspended. */
  | 'suspended'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'unsupported_media_type'
  | 'unprocessable'
  | 'too_many_requests';

/** An error that is the caller's to read: `messages` name the field and never show internals. */
export class DomainError extends Error {
  kind: ErrorKind;
  messages: string[];
  /** For `too_many_requests`: when the caller may come back. */
  retryAfterSeconds?: number;

  constructor(kind: ErrorKind, messages: string | string[]) {
    const list = typeof messages === 'string' ? [messages] : messages;
    super(list.join('; '));
    this.name = 'DomainError';
    this.kind = kind;
    this.messages = list;
  }
}

/** A request that a rule refuses (400). */
export function invalid(messages: string | string[]): DomainError {
  return new DomainError('invalid', messages);
}

/**
 * A request beyond a limit (429); it may come again after `retryAfterSeconds`, which the reply says in `Retry-After`.
 */
export function tooManyRequests(message: string, retryAfterSeconds: number): DomainError {
  const error = new DomainError('too_many_requests', message);
  error.retryAfterSeconds = retryAfterSeconds;
  return error;
}

/**
 * Does `work` on input that stands at `path`: messages of the form `field: what is wrong` name the field from there.
 */
export async function within<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // What is forbidden is no fault of the input: a quota is named as it is.
    if (!(error instanceof DomainError) || error.kind === 'forbidden') throw error;
    const messages = error.messages.map((message) => (message.includes(': ') ? `${path}.${message}` : message));
    throw new DomainError(error.kind, messages);
  }
}

/** A resource that is unknown, or foreign, which is the same to a caller. */
export function notFound(): DomainError {
  return new DomainError('not_found', 'Object not found');
}
