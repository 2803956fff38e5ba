import type { AccountContext } from '../../context.ts';
import { invalidField } from '../../errors.ts';
import { CARD_TEXT_CHARS_MAX, PASS_VALUES_CHARS_MAX } from '../../limits.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { DefinedPass } from '../find-pass.ts';
import type { Pass } from '../table.ts';
import { TextRoom } from './placeholders.ts';
import { cardIn } from './resolve-card.ts';

type Shown = Pick<DefinedPass, 'pass' | 'definition' | 'version'>;

/** Replaces the account's signer. Signatures are about as long as the texts that they sign. */
const SIGNER = { keyId: '', sign: (text: string) => text };

/**
 * Checks that a pass has at most `PASS_VALUES_CHARS_MAX` characters of values, and its card `CARD_TEXT_CHARS_MAX` of
 * text. A pass that already had too many may keep them. Throws `invalid` with the field of the longest value.
 */
export function checkCardTexts(ctx: AccountContext, after: Shown, before?: Shown): void {
  const chars = valueChars(after.pass);
  if (chars > PASS_VALUES_CHARS_MAX && !(before && chars <= valueChars(before.pass)))
    throw tooLong(after, `the values of a pass must have at most ${PASS_VALUES_CHARS_MAX} characters together`);
  if (!isTooLong(ctx, after) || (before && isTooLong(ctx, before))) return;
  const limit = `the texts of the pass, with their placeholders filled, must have at most ${CARD_TEXT_CHARS_MAX} characters`;
  throw tooLong(after, `${limit} together`);
}

/** Returns the characters of the values of which a caller can send many. */
function valueChars({ properties, appearance: { locations, eligibleValidationPlaces }, flight }: Pass): number {
  return JSON.stringify([properties, locations, eligibleValidationPlaces, flight]).length;
}

function tooLong(after: Shown, message: string) {
  const [name, chars] = longestValue(after);
  const { locations, eligibleValidationPlaces } = after.pass.appearance;
  const lists = Object.entries({ locations, eligibleValidationPlaces });
  const list = lists.find(([, one]) => one && JSON.stringify(one).length > 2 * chars);
  return invalidField(list?.[0] ?? name, message);
}

function isTooLong(ctx: AccountContext, { pass, definition, version }: Shown): boolean {
  const { chars, placeholders } = staticTexts(definition);
  const [, longest] = longestValue({ pass, definition });
  const locations = pass.appearance.locations ? JSON.stringify(pass.appearance.locations).length : 0;
  // Even this upper bound is nearly always small enough, so no card has to be built.
  if (chars + placeholders * longest + locations + (pass.pushText?.length ?? 0) <= CARD_TEXT_CHARS_MAX) return false;
  const room = new TextRoom(CARD_TEXT_CHARS_MAX);
  cardIn(room, { account: ctx.account, pass, definition, templateVersion: version, links: ctx, signer: SIGNER });
  return room.isExceeded;
}

/** Constant part of a definition's texts: the maximum number of characters, and the number of placeholders. */
interface StaticTexts {
  chars: number;
  placeholders: number;
}

const known = new WeakMap<StoredDefinition, StaticTexts>();

function staticTexts(definition: StoredDefinition): StaticTexts {
  const found = known.get(definition);
  if (found) return found;
  const { organizationName, description, logoText, fields, links, barcode, locations, translations, apple, google } =
    definition;
  const json = JSON.stringify([
    organizationName,
    description,
    logoText,
    fields,
    links,
    barcode,
    locations,
    translations,
    google,
    apple,
  ]);
  // One more than there are placeholders, and one for each signature, which isn't a value.
  const texts = { chars: json.length, placeholders: json.split('{').length };
  known.set(definition, texts);
  return texts;
}

/** Characters that any placeholder may need: for a URL of ours, a date, or a signature. */
const VALUE_CHARS = 500;

function longestValue({ pass, definition }: Pick<Shown, 'pass' | 'definition'>): [name: string, chars: number] {
  const own: (keyof Pass)[] = ['barcodeValue', 'barcodeAlternativeText', 'emailRecipient', 'phoneRecipient'];
  const values: [string, unknown][] = [
    ...own.map((name): [string, unknown] => [name, pass[name]]),
    ...definition.additionalProperties.map(({ id, name }): [string, unknown] => [name, pass.properties[id]]),
  ];
  let longest: [string, number] = ['data', VALUE_CHARS];
  for (const [name, value] of values) {
    const chars = typeof value === 'string' ? value.length : 0;
    if (chars > longest[1]) longest = [name, chars];
  }
  return longest;
}
