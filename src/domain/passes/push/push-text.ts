import type { AccountContext } from '../../context.ts';
import { invalidField } from '../../errors.ts';
import { TEXT_CHARS_MAX } from '../../limits.ts';
import { signerFor } from '../../signing-keys/signer.ts';
import { timeZoneOf } from '../../templates/time-zone.ts';
import { withoutToken } from '../card/kept-text.ts';
import { fillPlaceholders } from '../card/placeholders.ts';
import type { DefinedPass } from '../find-pass.ts';

/**
 * Fills the text of a push to one pass, in stored form (`withToken` completes it); empty if its placeholders leave
 * nothing. Throws `invalid` if they make it too long.
 */
export async function filledText(
  ctx: AccountContext,
  text: string,
  { pass, definition }: Pick<DefinedPass, 'pass' | 'definition'>,
): Promise<string> {
  const signer = await signerFor(ctx, text);
  const timezone = timeZoneOf(ctx.account, definition);
  const filled = fillPlaceholders(text, { pass, definition, timezone, links: ctx, signer }).trim();
  if (filled.length <= TEXT_CHARS_MAX) return withoutToken(ctx, pass, filled);
  throw invalidField(
    'pushNotificationText',
    `has more than ${TEXT_CHARS_MAX} characters once its placeholders are filled`,
  );
}
