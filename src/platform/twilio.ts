import { createHmac } from 'node:crypto';
import { constantTimeEqual, toBase64 } from './crypto.ts';
import { parseJson } from './json.ts';
import type { SendResult } from './mail.ts';
import type { Sms, SmsProvider } from './sms.ts';

export interface TwilioSettings {
  accountSid: string;
  authToken: string;
  /** Number in E.164, sender name, or the SID of a messaging service (`MG…`). */
  from: string;
  /** Origin of the API. */
  apiUrl: string;
}

/** Maximum length of a text ("Messages resource", `Body`). */
export const TWILIO_CHARS_MAX = 1_600;
const TIMEOUT_MS = 10_000;

/** Sends through Twilio's Programmable Messaging ("Create a Message resource"). */
export class Twilio implements SmsProvider {
  #settings: TwilioSettings;

  constructor(settings: TwilioSettings) {
    this.#settings = settings;
  }

  async send({ to, text, callbackUrl }: Sms): Promise<SendResult> {
    const { accountSid, authToken, from, apiUrl } = this.#settings;
    if (text.length > TWILIO_CHARS_MAX) {
      const reason = `The text has ${text.length} characters, and an SMS takes ${TWILIO_CHARS_MAX}`;
      return { outcome: 'refused', reason };
    }
    const sender = from.startsWith('MG') ? 'MessagingServiceSid' : 'From';
    try {
      const response = await fetch(`${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`, {
        method: 'POST',
        headers: { Authorization: `Basic ${toBase64(new TextEncoder().encode(`${accountSid}:${authToken}`))}` },
        body: new URLSearchParams({ To: to, [sender]: from, Body: text, StatusCallback: callbackUrl }),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return toSendResult(response.status, await response.text());
    } catch (error) {
      return {
        outcome: 'unavailable',
        reason: `Twilio did not answer: ${error instanceof Error ? error.name : error}`,
      };
    }
  }
}

/**
 * Converts a reply to a result. 429 and 5xx are temporary, and the operator can fix the settings behind 401 and 403.
 * Other errors are permanent ("Error and warning dictionary").
 */
function toSendResult(status: number, body: string): SendResult {
  const reply = readReply(body);
  if (status === 200 || status === 201) return { outcome: 'sent', providerId: reply.sid ?? null };
  const passing = status === 401 || status === 403 || status === 429 || status >= 500 || status < 400;
  const reason = reply.message ? `Twilio ${reply.code ?? status}: ${reply.message}` : `Twilio answered ${status}`;
  return { outcome: passing ? 'unavailable' : 'refused', reason };
}

function readReply(body: string): { sid?: string; code?: number; message?: string } {
  const reply = parseJson(body);
  return typeof reply === 'object' && reply !== null ? reply : {};
}

/**
 * Returns whether Twilio signed a form that was posted to `url` ("Secure webhooks"): base64 HMAC-SHA1 over the URL and
 * all parameters with their values, sorted by name.
 */
export function isSignedByTwilio(authToken: string, signature: string, url: string, form: URLSearchParams): boolean {
  const names = [...new Set(form.keys())].sort();
  const signed =
    url +
    names
      .map((name) =>
        [...new Set(form.getAll(name))]
          .sort()
          .map((value) => name + value)
          .join(''),
      )
      .join('');
  return constantTimeEqual(createHmac('sha1', authToken).update(signed, 'utf8').digest('base64'), signature);
}

/** Our status for each `MessageStatus` of Twilio ("Messages resource", "Message status values"). */
export const TWILIO_STATUSES: Partial<Record<string, 'sent' | 'delivered' | 'failed'>> = {
  accepted: 'sent',
  scheduled: 'sent',
  queued: 'sent',
  sending: 'sent',
  sent: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
};
