import type { SendResult } from './send-result.ts';

export interface Sms {
  /** Identifier of the message that it is sent for. */
  messageId: string;
  /** E.164. */
  to: string;
  text: string;
  /** Where the provider reports its status. */
  callbackUrl: string;
}

/** Somebody who sends SMS. `send` never rejects. */
export interface SmsProvider {
  send(sms: Sms): Promise<SendResult>;
}

/**
 * How an SMS is charged: in parts of 160 characters of the GSM alphabet, or of 70 of UCS-2 once a character is outside
 * of it; parts of a longer text are a little shorter.
 */
export interface SmsLength {
  encoding: 'GSM-7' | 'UCS-2';
  segments: number;
}

/** 3GPP TS 23.038 §6.2.1: the default alphabet, and the characters of its extension, which count twice. */
const GSM = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const GSM_EXTENSION = new Set('\f^{}\\[~]|€');

/**
 * Characters of one SMS, and of each part of a longer text, whose header takes its place (3GPP TS 23.040 §9.2.3.24.1).
 */
const CHARS_MAX = { 'GSM-7': [160, 153], 'UCS-2': [70, 67] } as const;

/** Encoding and number of parts of a text. */
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
