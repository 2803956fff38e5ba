import { isUuid } from '../../../platform/ids.ts';
import { logLine, withoutSecrets } from '../../../platform/log.ts';

/** Messages of one request that are kept; devices send a few at a time. */
const MESSAGES_MAX = 20;
const MESSAGE_CHARS_MAX = 500;

/** Identifiers of devices, push tokens and the tokens of passes and their pages are secrets, which no log may keep. */
const LONG_WORDS = /[\w-]{22,}/g;
/** Names of errors, say `NSLocalizedDescriptionKey`. */
const APPLE_NAME = /^(NS|PK)[A-Za-z]+$/;

/** Logs what devices report (problems with our responses), for operators. */
export function logDeviceMessages(requestId: string, messages: string[]): void {
  for (const message of messages.slice(0, MESSAGES_MAX)) {
    const text = withoutSecrets(message).replace(LONG_WORDS, shown).slice(0, MESSAGE_CHARS_MAX);
    logLine('info', { event: 'device-message', requestId, message: text });
  }
}

/** Serial numbers stay: they are identifiers, which open nothing. */
function shown(word: string): string {
  return isUuid(word) || APPLE_NAME.test(word) ? word : '…';
}
