import { chooseGoogleIssuer, googleIssuerQuery } from '../certificates/find-google-issuer.ts';
import type { GoogleIssuer } from '../certificates/table.ts';
import { checked } from '../check.ts';
import { type AccountContext, enqueue } from '../context.ts';
import { changePass, type NextState } from './change-pass.ts';
import type { WriteOptions } from './create-pass.ts';
import { type DefinedPass, definedPassQuery, toDefinedPass } from './find-pass.ts';
import { PassFields } from './pass-fields.ts';
import { followUps, importPassImages } from './pass-images.ts';
import { passPatch } from './pass-patch.ts';
import { passValues } from './pass-values.ts';
import { completeProperties, patchProperties, readProperties } from './property-values.ts';
import type { Pass } from './table.ts';
import { applyTiers } from './tiers.ts';
import { clearUsages } from './usages.ts';

/** A changed pass with what replies need beside it. */
export interface UpdatedPass extends DefinedPass {
  googleIssuer?: GoogleIssuer;
}

type Sent = Record<string, unknown>;

/** Replaces a pass: every writable field that is not sent is cleared; barcode value and bundle stay unless sent (decisions §8). Three states count: absent, null, a value. */
export function replacePass(
  ctx: AccountContext,
  name: string,
  sent: Sent,
  options: WriteOptions,
): Promise<UpdatedPass> {
  return update(ctx, name, sent, options, (found, fields) => replaced(ctx, found, fields, sent));
}

/** Changes only the fields that are sent; null clears one. Also `voided` when `voids` is set (v1). */
export function patchPass(
  ctx: AccountContext,
  name: string,
  sent: Sent,
  options: WriteOptions & { voids?: boolean },
): Promise<UpdatedPass> {
  return update(ctx, name, sent, options, (found, fields) => {
    const pass = patched(ctx, found, fields, sent);
    return options.voids && typeof sent.voided === 'boolean' ? { ...pass, voided: sent.voided } : pass;
  });
}

async function update(
  ctx: AccountContext,
  name: string,
  sent: Sent,
  { wait }: WriteOptions,
  next: (found: DefinedPass, fields: PassFields) => Pass,
): Promise<UpdatedPass> {
  const fields = checked(PassFields, sent);
  const [[row], issuers] = await ctx.db.batch([definedPassQuery(ctx, name), googleIssuerQuery(ctx.db, ctx.account.id)]);
  const decide = async (found: DefinedPass): Promise<NextState> => {
    const pass = clearUsages(next(found, fields), sent);
    if (wait) pass.appearance = await importPassImages(ctx, pass.appearance, found.definition);
    const state = await applyTiers(ctx, found, pass);
    return { ...state, uniqueInAccount: fields.enforceUniqueUserProvidedId ?? false };
  };
  const first = toDefinedPass(row);
  const changed = await changePass(ctx, first.pass.id, decide, first);
  await enqueue(ctx, followUps(changed.pass));
  return { ...changed, googleIssuer: chooseGoogleIssuer(issuers) };
}

function replaced(ctx: AccountContext, { pass, definition }: DefinedPass, fields: PassFields, sent: Sent): Pass {
  const values = passValues(ctx, definition, fields);
  return {
    ...pass,
    ...values,
    bundleId: fields.bundleId === undefined ? pass.bundleId : values.bundleId,
    barcodeValue: fields.barcodeValue || pass.barcodeValue,
    properties: completeProperties(definition, readProperties(definition, sent)),
  };
}

function patched(ctx: AccountContext, found: DefinedPass, fields: PassFields, sent: Sent): Pass {
  const { pass, definition } = found;
  return {
    ...pass,
    ...passPatch(ctx, found, fields),
    properties: patchProperties(definition, pass.properties, readProperties(definition, sent)),
  };
}
