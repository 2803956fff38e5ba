import { logLine } from '../../../platform/log.ts';

/** Messages of one request that are kept; devices send a few at a time. */
const MESSAGES_MAX = 20;
const MESSAGE_CHARS_MAX = 500;

/** Identifiers of devices and push tokens are secrets, which no log may keep; serial numbers have dashes and stay. */
const SECRET = /\b[0-9a-f]{32,}\b/gi;

/** Writes what devices report (they tell what they disliked in an answer of ours) to the log, for operators. */
export function logDeviceMessages(requestId: string, messages: string[]): void {
  for (const message of messages.slice(0, MESSAGES_MAX)) {
    const text = message.replace(SECRET, '…').slice(0, MESSAGE_CHARS_MAX);
    logLine('info', { event: 'device-message', requestId, message: text });
  }
}
