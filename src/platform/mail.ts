import type { SendResult } from './send-result.ts';

/** A mail to one recipient. */
export interface Mail {
  to: string;
  from: { name: string; address: string };
  replyTo?: string;
  subject: string;
  /** For readers without HTML. */
  text: string;
  html: string;
  /**
   * Without angle brackets; the same for each attempt to send one mail. Email Service puts its own in its place ("Email
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

/** A way by which composed mails leave. `send` never rejects. */
export interface MailSender {
  /** Address that mails come from; empty: none is set up. */
  address: string;
  send(mail: Mail, mime: Uint8Array): Promise<SendResult>;
}

/** Limits of Cloudflare Email Service ("Limits", "Email content limits"). */
export const MAIL_BYTES_MAX = 5 * 1024 * 1024;
export const SUBJECT_CHARS_MAX = 998;

/**
 * The mail as RFC 5322 and MIME want it: both texts as alternatives, attachments behind them, lines that end in CRLF,
 * all of it ASCII. Texts that go into headers lose line breaks and other control characters, so nobody adds a header by
 * them. The builder is loaded here, because few requests send mail.
 */
export async function composeMime(mail: Mail): Promise<Uint8Array<ArrayBuffer>> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { to, from, replyTo, subject, text, html, messageId, attachments = [] } = mail;
  const composer = new MailComposer({
    to: { name: '', address: to },
    from: { name: headerText(from.name), address: from.address },
    replyTo: replyTo && { name: '', address: replyTo },
    subject: headerText(subject),
    text,
    html,
    messageId: `<${messageId}>`,
    // RFC 3834: tells other programs not to answer.
    headers: { 'Auto-Submitted': 'auto-generated' },
    attachments: attachments.map(({ filename, type, bytes }) => ({
      filename,
      contentType: type,
      content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    })),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return new Uint8Array(await composer.compile().build());
}

/** One line without control characters, as headers want it. */
export function headerText(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

/** Refusals of Cloudflare Email Service that pass by, or that the operator can mend ("Workers API", "Error codes"). */
const PASSING = new Set([
  'E_RATE_LIMIT_EXCEEDED',
  'E_DAILY_LIMIT_EXCEEDED',
  'E_INTERNAL_SERVER_ERROR',
  'E_SENDER_NOT_VERIFIED',
  'E_SENDER_DOMAIN_NOT_AVAILABLE',
]);

/** Hands a composed mail to Cloudflare Email Service. Never rejects. */
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

/** What a refusal of the mail service means; one that it gives no code to may pass by. */
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
