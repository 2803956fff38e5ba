import { formatMinute } from '../../../platform/dates.ts';
import type { Context } from '../../context.ts';
import { FILLED_TEXT_CHARS_MAX } from '../../limits.ts';
import type { TextSigner } from '../../signing-keys/signer.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import { PERSONAL_PLACEHOLDERS } from '../../templates/personal-placeholders.ts';
import { pagePath } from '../page/links.ts';
import type { Pass } from '../table.ts';
import { FLIGHT_FIELD_NAMES } from '../values/pass-fields.ts';
import { boardingCode } from './boarding-code.ts';
import { expirationOf } from './expiration.ts';

/** Source of links: the public origin of the service, and the keys that decrypt tokens. */
export type LinkContext = Pick<Context, 'baseUrl' | 'env'>;

/** Values for placeholders. */
export interface PlaceholderSource {
  pass: Pass;
  definition: StoredDefinition;
  timezone: string;
  links: LinkContext;
  /** The account's signer; needed only for texts with signatures (`signerFor`). */
  signer?: TextSigner;
  /** Escapes a value for the format of the text, such as HTML. Signed text isn't escaped. */
  quote?: (value: string) => string;
  /** Leaves personal values empty, for texts that passes share. */
  isImpersonal?: boolean;
  /** Limit shared with other texts; absent: this text has its own. */
  room?: TextRoom;
}

/** Partly filled text: in its final form, and in the form that would be signed. */
interface Filled {
  shown: string;
  plain: string;
}

/** Placeholders of a pass's own fields. A new placeholder needs only an entry here. */
const OWN: Record<string, (source: PlaceholderSource) => unknown> = {
  identifier: ({ pass }) => pass.id,
  userProvidedId: ({ pass }) => pass.userProvidedId,
  generatedId: ({ pass }) => pass.generatedId,
  barcodeValue: ({ pass }) => pass.barcodeValue,
  barcodeAlternativeText: ({ pass }) => pass.barcodeAlternativeText,
  downloadPage: ({ pass, links }) => links.baseUrl + pagePath(links.env, pass),
  storedValue: ({ pass }) => pass.storedValue,
  bundleId: ({ pass }) => pass.bundleId,
  groupingIdentifier: ({ pass }) => pass.groupingIdentifier,
  emailRecipient: ({ pass }) => pass.emailRecipient,
  phoneRecipient: ({ pass }) => pass.phoneRecipient,
  expirationDate: ({ pass, definition, timezone }) =>
    dateText(expirationOf(definition, pass, timezone) ?? null, timezone),
  relevantDate: ({ pass, timezone }) => dateText(pass.relevantAt, timezone),
  validAsOfDate: ({ pass, timezone }) => dateText(pass.validAsOfAt, timezone),
  createdOn: ({ pass, timezone }) => dateText(pass.createdAt, timezone),
  bcbp: ({ pass }) => pass.flight && boardingCode(pass.flight),
  ...Object.fromEntries(FLIGHT_FIELD_NAMES.map((name) => [name, ({ pass }: PlaceholderSource) => pass.flight?.[name]])),
};

/** Placeholder names of a pass's own fields. */
export const OWN_PLACEHOLDERS = Object.keys(OWN);

function dateText(millis: number | null, timezone: string): string | undefined {
  return millis === null ? undefined : formatMinute(millis, timezone);
}

/** Start of a signature, end of one, or a name in braces. */
const PARTS = /\{sign\(|\)\}|\{([^{}]+)\}/g;

/**
 * Fills `{name}` with a property (by name or ID) or a field of the pass. A known placeholder without a value becomes
 * empty; unknown ones stay. `{sign(<text>)}` signs the filled text, or the barcode value if it is empty. Values aren't
 * searched for placeholders. Text beyond the limit is cut off.
 */
export function fillPlaceholders(text: string, source: PlaceholderSource): string {
  const { quote = (value: string) => value, room = new TextRoom(FILLED_TEXT_CHARS_MAX) } = source;
  if (!text.includes('{')) return room.take(text);
  // Limits the intermediate text too, not only the result.
  const work = new TextRoom(room.left);
  /** Text filled so far: outside of signatures, then inside each open one. */
  const levels: Filled[] = [{ shown: '', plain: '' }];
  let at = 0;
  const append = (plain: string, shown = plain) => {
    levels.at(-1)!.plain += plain;
    levels.at(-1)!.shown += work.take(shown);
  };
  const appendValue = (value: string) => append(value, quote(value));
  for (const match of text.matchAll(PARTS)) {
    if (work.isExceeded) break;
    const [written, name] = match;
    append(text.slice(at, match.index));
    at = match.index + written.length;
    const value = name === undefined ? undefined : textOf(name.trim(), source);
    if (value !== undefined) appendValue(value);
    else if (name !== undefined) append(written);
    else if (written === SIGN_START) levels.push({ shown: '', plain: '' });
    else if (levels.length === 1) append(written);
    else appendValue(signatureOf(levels.pop()!.plain, source));
  }
  append(text.slice(at));
  if (work.isExceeded) room.isExceeded = true;
  // A signature without an end isn't a signature.
  return room.take(levels.map(({ shown }) => shown).join(SIGN_START));
}

const SIGN_START = '{sign(';

/** Returns a text with `[` and `]` around names of a pass's own fields and before signatures, so nothing fills them. */
export function bracketPlaceholders(text: string): string {
  return text.replace(PARTS, (written, name?: string) => {
    if (written === SIGN_START) return `[${written.slice(1)}`;
    return name !== undefined && Object.hasOwn(OWN, name.trim()) ? `[${name}]` : written;
  });
}

function signatureOf(text: string, { pass, signer, isImpersonal }: PlaceholderSource): string {
  if (text === '' && isImpersonal) return '';
  if (!signer) throw new Error('a text asks for a signature, and no signer was loaded for it');
  return signer.sign(text || pass.barcodeValue);
}

function textOf(name: string, source: PlaceholderSource): string | undefined {
  const property = source.definition.additionalProperties.find((one) => one.id === name || one.name === name);
  if (property)
    return source.isImpersonal && property.personal ? '' : String(source.pass.properties[property.id] ?? '');
  if (!Object.hasOwn(OWN, name)) return undefined;
  if (source.isImpersonal && PERSONAL_PLACEHOLDERS.has(name)) return '';
  return String(OWN[name]!(source) ?? '');
}

/** Characters left for several texts together. Text that doesn't fit is cut off. */
export class TextRoom {
  left: number;
  /** Whether text has been cut off. */
  isExceeded = false;

  constructor(charsMax: number) {
    this.left = charsMax;
  }

  take(text: string): string {
    const fitting = text.length > this.left ? text.slice(0, this.left).toWellFormed() : text;
    if (fitting.length < text.length) this.isExceeded = true;
    this.left -= fitting.length;
    return fitting;
  }
}
