import type { AccountContext } from '../../context.ts';
import { signerFor } from '../../signing-keys/signer.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import { fillPlaceholders } from '../card/placeholders.ts';
import type { Pass } from '../table.ts';

/**
 * The barcode value of a pass that is given none: the template's own text, when it gives each pass one, otherwise the
 * generated identifier. A custom number is none of these: it is handed out once, as the pass is created.
 */
export async function defaultBarcode(ctx: AccountContext, definition: StoredDefinition, pass: Pass): Promise<string> {
  const { generatedId } = pass;
  const { value, useAutoIdForValue, valueDifferentForEachPass } = definition.barcode;
  if (definition.customNumberRange || useAutoIdForValue || valueDifferentForEachPass) return generatedId;
  const signer = await signerFor(ctx, value);
  const shown = { ...pass, barcodeValue: generatedId };
  const source = { definition, timezone: ctx.account.timezone, links: ctx, signer };
  return fillPlaceholders(value, { pass: shown, ...source }) || generatedId;
}
