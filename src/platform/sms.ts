import type { SendResult } from './mail.ts';

export interface Sms {
  /** ID of the message. */
  messageId: string;
  /** E.164. */
  to: string;
  text: string;
  /** URL to which the provider reports the status. */
  callbackUrl: string;
}

/** Sends text messages. `send` never rejects. */
export interface SmsProvider {
  send(sms: Sms): Promise<SendResult>;
}

/**
 * Billing units of a text message: parts of 160 GSM characters, or of 70 UCS-2 characters if any is outside GSM. Parts
 * of a longer text are slightly shorter.
 */
export interface SmsLength {
  encoding: 'GSM-7' | 'UCS-2';
  segments: number;
}

/** The default alphabet of 3GPP TS 23.038 §6.2.1, and the characters of its extension, which count twice. */
const GSM = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const GSM_EXTENSION = new Set('\f^{}\\[~]|€');

/**
 * Characters of a single message, and of each part of a longer one, whose header takes space (3GPP TS 23.040
 * §9.2.3.24.1).
 */
const CHARS_MAX = { 'GSM-7': [160, 153], 'UCS-2': [70, 67] } as const;

/** Returns the encoding and number of parts of a text. */
export function smsLength(text: string): SmsLength {
  let septets = 0;
  let encoding: SmsLength['encoding'] = 'GSM-7';
  for (const character of text) {
    if (GSM_EXTENSION.has(character)) septets += 2;
    else if (GSM.has(character)) septets += 1;
    else encoding = 'UCS-2';
  }
  const chars = encoding === 'GSM-7' ? septets : text.length;
  const [single, part] = CHARS_MAX[encoding];
  return { encoding, segments: chars <= single ? 1 : Math.ceil(chars / part) };
}
