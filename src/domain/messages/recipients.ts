import * as z from 'zod';

/** RFC 5321 §4.5.3.1: a path is at most 256 octets with its angle brackets. */
const ADDRESS_CHARS_MAX = 254;
const LOCAL_PART_CHARS_MAX = 64;
const Address = z.email();
/** Characters that would make a URL's host more than a host. */
const NO_HOST_NAME = /[\s/?#\\:@%[\]]|^$/;

/** Returns the email address in a text, its domain in lowercase ASCII; undefined if there is none, or more than one. */
export function readEmailAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const name = trimmed.slice(at + 1);
  const domain = NO_HOST_NAME.test(name) ? undefined : URL.parse(`http://${name}`);
  if (at < 1 || at > LOCAL_PART_CHARS_MAX || !domain) return undefined;
  const address = `${trimmed.slice(0, at)}@${domain.hostname}`;
  return address.length <= ADDRESS_CHARS_MAX && Address.safeParse(address).success ? address : undefined;
}

/** Separators between the digits of a number, one by one for the database; `SEPARATORS` also has rare spaces. */
export const PHONE_SEPARATORS = [...' \t()./-\u00a0\u2010\u2011\u2012\u2013\u2014\u2015'];
/** Separators between the digits of a number, and the zero for calls within the country. */
const SEPARATORS = /\(0\)|[\s().\-/\u00a0\u2010-\u2015]/g;
/**
 * ITU-T E.164: a country code, which never starts with zero, and at most fifteen digits in total. The shortest numbers
 * in use have seven.
 */
const E164 = /^\+[1-9]\d{6,14}$/;

/** Returns a recipient in a form in which equal ones are equal: an address in lowercase, a number in E.164 form. */
export function plainRecipient(text: string): string {
  const trimmed = text.trim();
  return trimmed.includes('@') ? trimmed.toLowerCase() : (readPhoneNumber(trimmed) ?? trimmed);
}

/**
 * Returns the phone number in a text in E.164 form (`+436641234567`); undefined if there is none, or its country isn't
 * named by `+` or `00`.
 */
export function readPhoneNumber(text: string): string | undefined {
  const number = text.trim().replace(SEPARATORS, '').replace(/^00/, '+');
  return E164.test(number) ? number : undefined;
}
