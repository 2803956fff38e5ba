import { canonicalJson } from '../../platform/json.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../certificates/find-google-issuer.ts';
import type { GoogleIssuer } from '../certificates/table.ts';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { type ImageLoader, imageLoader } from '../images/import-image.ts';
import { claimBundleLink, linkToBundle } from './bundle-link.ts';
import { type ChangedPass, changePass, type NextState } from './change-pass.ts';
import type { WriteOptions } from './create-pass.ts';
import { type DefinedPass, definedPassQuery, toDefinedPass } from './find-pass.ts';
import { importPassImages, passJobs, pendingImages } from './images/pass-images.ts';
import { type KeptTokens, keepTokens, linkTokensOf, openTokens } from './page/links.ts';
import { filledText } from './push/push-text.ts';
import type { BundleLink, Pass } from './table.ts';
import { applyTiers, type TemplateOf } from './tiers.ts';
import { FLIGHT_FIELD_NAMES, type FlightFields, UpdateFields } from './values/pass-fields.ts';
import { clearUsages, passPatch, replacedFields } from './values/pass-patch.ts';
import { barcodeText, defaultBarcode } from './values/pass-values.ts';
import { patchProperties, readProperties, replaceProperties, type SentProperties } from './values/property-values.ts';
import { changedFields } from './values/shown-fields.ts';

/** Changed pass, with the data that replies need. */
export interface UpdatedPass extends ChangedPass {
  googleIssuer?: GoogleIssuer;
}

type Sent = Record<string, unknown>;

/** Rows that an update needs. The API reads them together with the caller's key if the pass joins no bundle. */
export interface UpdateRead {
  found?: DefinedPass;
  issuers: GoogleIssuer[];
  /** Result of `claimBundleLink` when the pass joins a bundle. */
  bundle?: BundleLink[];
}

type UpdateOptions = WriteOptions & { read?: UpdateRead };

/** Update that a caller requests. */
export interface Update {
  /** `replace` clears every writable field that isn't sent; `patch` changes only sent fields. */
  mode: 'replace' | 'patch';
  sent: Sent;
  /** Further additional properties, which can't be mistaken for fields (v1). Those in `sent` take precedence. */
  properties?: Sent;
  /** Text for the holder, with its placeholders. Only active passes get it. */
  pushText?: string;
  /** Result of `claimBundleLink` when the pass joins a bundle. */
  bundle?: BundleLink[];
}

/**
 * Replaces a pass: clears every writable field that isn't sent, except barcode value, bundle and `voided`. Absent, null
 * and a value are three different states.
 */
export async function replacePass(
  ctx: AccountContext,
  name: string,
  sent: Sent,
  options: UpdateOptions,
): Promise<UpdatedPass> {
  return update(ctx, name, { mode: 'replace', sent }, options);
}

/** Changes only the fields that are sent; null clears a field. `properties` are those of an `Update`. */
export async function patchPass(
  ctx: AccountContext,
  name: string,
  sent: Sent,
  { properties, ...options }: UpdateOptions & Pick<Update, 'properties'>,
): Promise<UpdatedPass> {
  return update(ctx, name, { mode: 'patch', sent, properties }, options);
}

async function update(
  ctx: AccountContext,
  name: string,
  asked: Update,
  { wait, read }: UpdateOptions,
): Promise<UpdatedPass> {
  const bundleId = sentBundle(asked.sent);
  const known = read && !bundleId ? read : await readForUpdate(ctx, name, bundleId);
  const { found: first, issuers, bundle } = known;
  // Errors in the fields take precedence over "not found".
  if (!first) {
    checked(UpdateFields, asked.sent);
    throw notFound();
  }
  const load = imageLoader(ctx);
  const decide = (found: DefinedPass) => nextState(ctx, found, { ...asked, bundle }, { wait, load });
  const changed = await changePass(ctx, first.pass.id, decide, {
    first,
    followUps: ({ before, images, messages }) => (wait ? [] : passJobs(before, images, messages)),
  });
  return { ...changed, googleIssuer: chooseGoogleIssuer(issuers) };
}

async function readForUpdate(ctx: AccountContext, name: string, bundleId: string | undefined): Promise<UpdateRead> {
  const [[row], issuers, bundle] = await ctx.db.batch([
    definedPassQuery(ctx, name),
    googleIssuerQuery(ctx.db, ctx.account.id),
    ...claimBundleLink(ctx, bundleId),
  ]);
  return { found: row && toDefinedPass(row), issuers, bundle };
}

/** Returns the bundle that a caller names, before validation; undefined if there is none. */
export function sentBundle({ bundleId }: Sent): string | undefined {
  const { data } = UpdateFields.shape.bundleId.safeParse(bundleId);
  return data || undefined;
}

/**
 * Computes the state of a pass after an update, for single and bulk updates. Values sent exactly as reads return them
 * stay unchanged and unchecked. `templateOf` finds the templates of tiers, `load` imports images. Throws `invalid` with
 * the field.
 */
export async function nextState(
  ctx: AccountContext,
  found: DefinedPass,
  { mode, sent: asked, properties, pushText, bundle }: Update,
  { wait, templateOf, load }: WriteOptions & { templateOf?: TemplateOf; load?: ImageLoader },
): Promise<NextState> {
  const replaces = mode === 'replace';
  const { sent, kept, reserved } = changedFields(ctx, found, asked, replaces);
  const named = Object.fromEntries(Object.entries(sent).filter(([name]) => !reserved.has(name)));
  const fields = checked(UpdateFields, sent);
  const own = readProperties(found.definition, { ...properties, ...named });
  const written = replaces ? replaced(ctx, found, fields, own, kept) : patched(ctx, found, fields, own);
  const linked = linkToBundle(ctx, clearUsages(written, sent), bundle, found.pass);
  const pass = fields.voided === undefined ? linked : withVoided(linked, fields.voided);
  const isDefault = isCleared(fields.barcodeValue) || (!fields.barcodeValue && (await hasFlightCode(ctx, found, pass)));
  if (isDefault) pass.barcodeValue = await defaultBarcode(ctx, found.definition, pass);
  // Pending images of an earlier request stay with that request's job.
  const images = pendingImages(found.definition, fields);
  if (wait) pass.appearance = await importPassImages(ctx, pass.appearance, found.definition, images, load);
  const state = await applyTiers(ctx, found, pass, templateOf);
  if (pushText && found.pass.numberOfActive > 0) {
    const shown = { pass: state.pass, definition: (state.target ?? found).definition };
    state.pass = { ...state.pass, pushText: (await filledText(ctx, pushText, shown)) || found.pass.pushText };
  }
  return { ...state, images, isUniqueInAccount: fields.enforceUniqueUserProvidedId ?? false };
}

/** Whether the barcode was built from the previous flight: a new seat must replace the old one in the code. */
async function hasFlightCode(ctx: AccountContext, { pass, definition }: DefinedPass, after: Pass): Promise<boolean> {
  if (!barcodeText(definition).includes('{bcbp}') || canonicalJson(pass.flight) === canonicalJson(after.flight)) {
    return false;
  }
  return pass.barcodeValue === (await defaultBarcode(ctx, definition, pass));
}

/** Null and an empty text clear a field; a field that isn't sent stays. */
function isCleared(value: string | null | undefined): boolean {
  return value === null || value === '';
}

function replaced(
  ctx: AccountContext,
  found: DefinedPass,
  fields: UpdateFields,
  own: SentProperties,
  kept: Set<string>,
): Pass {
  const { pass, definition } = found;
  const flight = FLIGHT_FIELD_NAMES.filter((name) => kept.has(name)).map((name) => [name, pass.flight?.[name]]);
  const known: Partial<FlightFields> = Object.fromEntries(flight);
  return {
    ...pass,
    ...passPatch(ctx, found, replacedFields(fields, kept), known),
    properties: replaceProperties(definition, pass.properties, own, kept),
  };
}

function patched(ctx: AccountContext, found: DefinedPass, fields: UpdateFields, own: SentProperties): Pass {
  const { pass, definition } = found;
  return {
    ...pass,
    ...passPatch(ctx, found, fields),
    properties: patchProperties(definition, pass.properties, own),
  };
}

/**
 * Voids or restores a pass. A pass that is already in that state stays as it is: no new version, no event. Throws not
 * found.
 */
export async function voidPass(ctx: AccountContext, name: string, voided: boolean): Promise<void> {
  await changePass(ctx, name, ({ pass }) => ({ pass: withVoided(pass, voided) }));
}

/** Returns the pass voided or restored. A scan that voids also redeems the pass; restoring undoes that too. */
function withVoided(pass: Pass, voided: boolean): Pass {
  return { ...pass, voided, redeemed: voided && pass.redeemed };
}

/**
 * Rotates the secrets in the URLs of a pass's page and file; the old URLs then open nothing. Apple's
 * `authenticationToken` stays, because devices never learn a new one, and so does the link of its bundle, which other
 * passes share. A normal change. Throws not found.
 */
export async function rotateLinks(ctx: AccountContext, name: string): Promise<UpdatedPass> {
  const [[row], issuers] = await ctx.db.batch([definedPassQuery(ctx, name), googleIssuerQuery(ctx.db, ctx.account.id)]);
  const first = toDefinedPass(row);
  const changed = await changePass(ctx, first.pass.id, ({ pass }) => ({ pass: { ...pass, ...rotated(ctx, pass) } }), {
    first,
  });
  return { ...changed, googleIssuer: chooseGoogleIssuer(issuers) };
}

function rotated({ env }: AccountContext, pass: Pass): KeptTokens {
  return keepTokens(env, pass.id, { ...openTokens(env, pass), ...linkTokensOf(pass.id) });
}
