import { chooseGoogleIssuer, googleIssuerQuery } from '../certificates/find-google-issuer.ts';
import type { GoogleIssuer } from '../certificates/table.ts';
import { checked } from '../check.ts';
import { type AccountContext, handOver } from '../context.ts';
import { type ImageLoader, imageLoader } from '../images/import-image.ts';
import { claimBundleLink, linkToBundle } from './bundle-link.ts';
import { type ChangedPass, changePass, type NextState } from './change-pass.ts';
import type { WriteOptions } from './create-pass.ts';
import { defaultBarcode } from './default-barcode.ts';
import { type DefinedPass, definedPassQuery, toDefinedPass } from './find-pass.ts';
import { PassFields } from './pass-fields.ts';
import { followUps, importPassImages, pendingImages } from './pass-images.ts';
import { passPatch } from './pass-patch.ts';
import { passValues } from './pass-values.ts';
import { completeProperties, patchProperties, readProperties, type SentProperties } from './property-values.ts';
import { filledText } from './push-text.ts';
import type { Pass } from './table.ts';
import { applyTiers, type TemplateOf } from './tiers.ts';
import { clearUsages } from './usages.ts';
import { withVoided } from './void-pass.ts';

/** A changed pass with what replies need beside it. */
export interface UpdatedPass extends ChangedPass {
  googleIssuer?: GoogleIssuer;
}

type Sent = Record<string, unknown>;

/** What a caller asks of a pass, checked as far as no template is needed for it. */
export interface Update {
  /** `replace` clears every writable field that is not sent; `patch` changes only what is. */
  mode: 'replace' | 'patch';
  sent: Sent;
  fields: PassFields;
  /** Further additional properties, which can name no field (v1); those of `sent` win. */
  properties?: Sent;
  /** Also takes `voided` (v1). */
  voids?: boolean;
  /** Text for the holder, placeholders and all; only passes that are active get it. */
  pushText?: string;
  /** Result of `claimBundleLink` when the pass joins a bundle. */
  bundle?: { pageToken: string }[];
}

/** Replaces a pass: every writable field that is not sent is cleared; barcode value and bundle stay unless sent (decisions §8). Three states count: absent, null, a value. */
export async function replacePass(
  ctx: AccountContext,
  name: string,
  sent: Sent,
  options: WriteOptions,
): Promise<UpdatedPass> {
  return update(ctx, name, { mode: 'replace', sent, fields: checked(PassFields, sent) }, options);
}

/** Changes only the fields that are sent; null clears one. `voids` and `properties` are those of an `Update`. */
export async function patchPass(
  ctx: AccountContext,
  name: string,
  sent: Sent,
  { wait, ...more }: WriteOptions & Pick<Update, 'voids' | 'properties'>,
): Promise<UpdatedPass> {
  return update(ctx, name, { mode: 'patch', sent, fields: checked(PassFields, sent), ...more }, { wait });
}

async function update(ctx: AccountContext, name: string, asked: Update, { wait }: WriteOptions): Promise<UpdatedPass> {
  const [[row], issuers, bundle] = await ctx.db.batch([
    definedPassQuery(ctx, name),
    googleIssuerQuery(ctx.db, ctx.account.id),
    ...claimBundleLink(ctx, asked.fields.bundleId),
  ]);
  const first = toDefinedPass(row);
  const load = imageLoader(ctx);
  const decide = (found: DefinedPass) => nextState(ctx, found, { ...asked, bundle }, { wait, load });
  const changed = await changePass(ctx, first.pass.id, decide, first);
  if (!wait) await handOver(ctx, followUps(changed.pass.id, changed.images, changed.messages));
  return { ...changed, googleIssuer: chooseGoogleIssuer(issuers) };
}

/**
 * What a pass becomes by an update; the one place that says so, for single and bulk updates. `templateOf` finds the templates of tiers, `load` imports images. Throws `invalid` naming the field.
 */
export async function nextState(
  ctx: AccountContext,
  found: DefinedPass,
  { mode, sent, fields, properties, voids, pushText, bundle }: Update,
  { wait, templateOf, load }: WriteOptions & { templateOf?: TemplateOf; load?: ImageLoader },
): Promise<NextState> {
  const own = readProperties(found.definition, { ...properties, ...sent });
  const written = mode === 'replace' ? replaced(ctx, found, fields, own) : patched(ctx, found, fields, own);
  const linked = linkToBundle(clearUsages(written, sent), bundle);
  const pass = voids && typeof sent.voided === 'boolean' ? withVoided(linked, sent.voided) : linked;
  if (isCleared(fields.barcodeValue)) pass.barcodeValue = await defaultBarcode(ctx, found.definition, pass);
  // What an earlier request has asked for is left to its job.
  const images = pendingImages(found.definition, fields);
  if (wait) pass.appearance = await importPassImages(ctx, pass.appearance, found.definition, images, load);
  const state = await applyTiers(ctx, found, pass, templateOf);
  if (pushText && found.pass.numberOfActive > 0) {
    const shown = { pass: state.pass, definition: (state.target ?? found).definition };
    state.pass = { ...state.pass, pushText: (await filledText(ctx, pushText, shown)) || found.pass.pushText };
  }
  return { ...state, images, uniqueInAccount: fields.enforceUniqueUserProvidedId ?? false };
}

/** Null and an empty text clear a field; one that is not sent stays. */
function isCleared(value: string | null | undefined): boolean {
  return value === null || value === '';
}

function replaced(
  ctx: AccountContext,
  { pass, definition }: DefinedPass,
  fields: PassFields,
  own: SentProperties,
): Pass {
  const values = passValues(ctx, definition, fields);
  return {
    ...pass,
    ...values,
    bundleId: fields.bundleId === undefined ? pass.bundleId : values.bundleId,
    barcodeValue: fields.barcodeValue || pass.barcodeValue,
    properties: completeProperties(definition, own),
  };
}

function patched(ctx: AccountContext, found: DefinedPass, fields: PassFields, own: SentProperties): Pass {
  const { pass, definition } = found;
  return {
    ...pass,
    ...passPatch(ctx, found, fields),
    properties: patchProperties(definition, pass.properties, own),
  };
}
