import * as z from 'zod';

/** RFC 5321 §4.5.3.1: a path is at most 256 octets with its angle brackets. */
const ADDRESS_CHARS_MAX = 254;
const LOCAL_PART_CHARS_MAX = 64;
const Address = z.email();
/** What would be more than a host in a URL. */
const NO_HOST_NAME = /[\s/?#\\:@%[\]]|^$/;

/** The e-mail address in a text, its domain in lower-case ASCII; undefined when there is none, or more than one. */
export function readEmailAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const name = trimmed.slice(at + 1);
  const domain = NO_HOST_NAME.test(name) ? undefined : URL.parse(`http://${name}`);
  if (at < 1 || at > LOCAL_PART_CHARS_MAX || !domain) return undefined;
  const address = `${trimmed.slice(0, at)}@${domain.hostname}`;
  return address.length <= ADDRESS_CHARS_MAX && Address.safeParse(address).success ? address : undefined;
}

/** What people put between the digits of a number, and the zero that they write for calls within the country. */
const SEPARATORS = /\(0\)|[\s().\-/\u00a0\u2010-\u2015]/g;
/**
 * ITU-T E.164: a country code, which never begins with zero, and at most fifteen digits in all; the shortest numbers in
 * use have seven.
 */
const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * The phone number in a text in E.164 form (`+436641234567`); undefined when it is none, or does not name its country
 * by `+` or `00`.
 */
export function readPhoneNumber(text: string): string | undefined {
  const number = text.trim().replace(SEPARATORS, '').replace(/^00/, '+');
  return E164.test(number) ? number : undefined;
}
