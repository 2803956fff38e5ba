/** An e-mail to one recipient. */
export interface Mail {
  to: string;
  from: { name: string; address: string };
  replyTo?: string;
  subject: string;
  /** For mail clients without HTML. */
  text: string;
  html: string;
  /**
   * Without angle brackets; the same in each attempt to send an e-mail. Email Service replaces it with its own ("Email
   * headers").
   */
  messageId: string;
  attachments?: MailAttachment[];
}

export interface MailAttachment {
  filename: string;
  /** Media type. */
  type: string;
  bytes: Uint8Array;
}

/** Sends composed e-mails. `send` never rejects. */
export interface MailSender {
  /** Sender address; empty: none is configured. */
  address: string;
  send(mail: Mail, mime: Uint8Array): Promise<SendResult>;
}

/** Limits of Cloudflare Email Service ("Limits", "Email content limits"). */
export const MAIL_BYTES_MAX = 5 * 1024 * 1024;
export const SUBJECT_CHARS_MAX = 998;

/**
 * Errors of Cloudflare Email Service that are temporary or that the operator can fix ("Workers API", "Error codes").
 */
const PASSING = new Set([
  'E_RATE_LIMIT_EXCEEDED',
  'E_DAILY_LIMIT_EXCEEDED',
  'E_INTERNAL_SERVER_ERROR',
  'E_SENDER_NOT_VERIFIED',
  'E_SENDER_DOMAIN_NOT_AVAILABLE',
]);

/** Sends a composed e-mail through Cloudflare Email Service. Never rejects. */
export async function sendMime(
  binding: SendEmail,
  mail: Pick<Mail, 'to' | 'from'>,
  mime: Uint8Array,
): Promise<SendResult> {
  try {
    const { EmailMessage } = await import('cloudflare:email');
    const message = new EmailMessage(mail.from.address, mail.to, new TextDecoder().decode(mime));
    const result = await binding.send(message);
    return { outcome: 'sent', providerId: result?.messageId ?? null };
  } catch (error) {
    return toFailure(error);
  }
}

/** Converts an error of the mail service to a result. One without a code may be temporary. */
export function toFailure(error: unknown): SendResult {
  const reason = error instanceof Error ? error.message : String(error);
  const { code } = (error ?? {}) as { code?: unknown };
  const named = /\bE_[A-Z_]+\b/.exec(`${typeof code === 'string' ? code : ''} ${reason}`)?.[0];
  if (!named) return { outcome: 'unavailable', reason };
  return {
    outcome: PASSING.has(named) ? 'unavailable' : 'refused',
    reason: reason.includes(named) ? reason : `${named}: ${reason}`,
  };
}

/**
 * Result of handing a message to a provider. `sent`: the provider accepted it; `note` adds a remark. `refused`: a retry
 * is pointless. `unavailable`: a retry may work; without a reply, the provider may have the message.
 */
export type SendResult =
  | { outcome: 'sent'; providerId: string | null; note?: string }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'unavailable'; reason: string };
