import { DrizzleQueryError } from 'drizzle-orm/errors';

/**
 * Writes one JSON line. `level` selects the console method, so that log tools can filter. Removes addresses and secrets
 * that an error quotes.
 */
export function logLine(level: 'info' | 'error', fields: Record<string, unknown>): void {
  const line = withoutSecrets(JSON.stringify({ level, ...fields }));
  if (level === 'error') console.error(line);
  else console.log(line);
}

const URLS = /https?:\/\/[^\s"'\\<>()]+/g;
const MAIL_ADDRESSES = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,255}/g;
const PHONE_NUMBERS = /\+[1-9]\d{6,14}/g;
const KEY_STARTS = ['pk_', 'whsec_', 'Bearer ', 'ApplePass '];
const KEYS = new RegExp(`\\b(${KEY_STARTS.join('|')})[\\w+/=.-]{1,1000}`, 'g');

/**
 * Removes secrets and personal data from a text. Keeps only the origin of URLs, because links to passes, scanners and
 * sign-ins are secrets. Our own lines contain none of this, but texts of others can, such as errors of `fetch`.
 */
export function withoutSecrets(text: string): string {
  let clean = text;
  // Almost no line has any of these, and searching for a character takes a twentieth of the pattern's time.
  if (clean.includes('://')) clean = clean.replace(URLS, originOf);
  if (clean.includes('@')) clean = clean.replace(MAIL_ADDRESSES, '…');
  if (clean.includes('+')) clean = clean.replace(PHONE_NUMBERS, '…');
  if (KEY_STARTS.some((start) => clean.includes(start))) clean = clean.replace(KEYS, (_, kind: string) => `${kind}…`);
  return clean;
}

function originOf(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/…` : '…';
}

/**
 * Describes an unknown error for the log: name, message, stack and cause. Never send it to callers. Leaves out
 * statement parameters, which drizzle adds to its message, because they can be secrets.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const operands = error instanceof DrizzleQueryError ? `\nparams: ${error.params}` : '';
  const words = (error.stack ?? `${error.name}: ${error.message}`).replace(operands, () => '');
  return error.cause === undefined ? words : `${words}\ncaused by ${describeError(error.cause)}`;
}
