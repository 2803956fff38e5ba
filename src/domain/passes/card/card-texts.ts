import type { AccountContext } from '../../context.ts';
import { invalidField } from '../../errors.ts';
import { CARD_TEXT_CHARS_MAX } from '../../limits.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { DefinedPass } from '../find-pass.ts';
import type { Pass } from '../table.ts';
import { TextRoom } from './placeholders.ts';
import { cardIn } from './resolve-card.ts';

type Shown = Pick<DefinedPass, 'pass' | 'definition' | 'version'>;

/** Stands in for the account's signer, whose signatures are about as long as what they sign. */
const SIGNER = { keyId: '', sign: (text: string) => text };

/**
 * Refuses a state of a pass whose card would have more text than `CARD_TEXT_CHARS_MAX`. A pass that already had too
 * much may stay as it is. Throws `invalid` naming the longest value.
 */
export function checkCardTexts(ctx: AccountContext, after: Shown, before?: Shown): void {
  if (!isTooLong(ctx, after) || (before && isTooLong(ctx, before))) return;
  const [name] = longestValue(after);
  const limit = `the texts of the pass, with their placeholders filled, must have at most ${CARD_TEXT_CHARS_MAX} characters`;
  throw invalidField(name, `${limit} together`);
}

function isTooLong(ctx: AccountContext, { pass, definition, version }: Shown): boolean {
  const { chars, placeholders } = staticTexts(definition);
  const [, longest] = longestValue({ pass, definition });
  const locations = pass.appearance.locations ? JSON.stringify(pass.appearance.locations).length : 0;
  // Nearly always what could be there at most is little enough, and no card has to be put together.
  if (chars + placeholders * longest + locations + (pass.pushText?.length ?? 0) <= CARD_TEXT_CHARS_MAX) return false;
  const room = new TextRoom(CARD_TEXT_CHARS_MAX);
  cardIn(room, { account: ctx.account, pass, definition, templateVersion: version, links: ctx, signer: SIGNER });
  return room.isExceeded;
}

/** What a definition says, which never changes: characters of its texts at most, and the places that values fill. */
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
  // One more for each signature, which is no value.
  const texts = { chars: json.length, placeholders: json.split('{').length };
  known.set(definition, texts);
  return texts;
}

/** Characters that a placeholder can always become: an address of ours, a date, a signature. */
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
