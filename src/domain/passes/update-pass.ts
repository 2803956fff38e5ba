import { canonicalJson } from '../../platform/canonical-json.ts';
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
import { filledText } from './push/push-text.ts';
import type { BundleLink, Pass } from './table.ts';
import { applyTiers, type TemplateOf } from './tiers.ts';
import { clearUsages } from './usages.ts';
import { FLIGHT_FIELD_NAMES, type FlightFields } from './values/flight-fields.ts';
import { UpdateFields } from './values/pass-fields.ts';
import { passPatch, replacedFields } from './values/pass-patch.ts';
import { barcodeText, defaultBarcode } from './values/pass-values.ts';
import { patchProperties, readProperties, replaceProperties, type SentProperties } from './values/property-values.ts';
import { changedFields } from './values/shown-fields.ts';
import { withVoided } from './void-pass.ts';

/** A changed pass with what replies need beside it. */
export interface UpdatedPass extends ChangedPass {
  googleIssuer?: GoogleIssuer;
}

type Sent = Record<string, unknown>;

/** What an update needs to read. The API reads it together with the caller's key, for a pass that joins no bundle. */
export interface UpdateRead {
  found?: DefinedPass;
  issuers: GoogleIssuer[];
}

type UpdateOptions = WriteOptions & { read?: UpdateRead };

/** What a caller asks of a pass. */
export interface Update {
  /** `replace` clears every writable field that is not sent; `patch` changes only what is. */
  mode: 'replace' | 'patch';
  sent: Sent;
  /** Further additional properties, which can name no field (v1); those of `sent` win. */
  properties?: Sent;
  /** Text for the holder, placeholders and all; only passes that are active get it. */
  pushText?: string;
  /** Result of `claimBundleLink` when the pass joins a bundle. */
  bundle?: BundleLink[];
}

/**
 * Replaces a pass: every writable field that is not sent is cleared; barcode value, bundle and `voided` stay unless
 * sent. Three states count: absent, null, a value.
 */
export async function replacePass(
  ctx: AccountContext,
  name: string,
  sent: Sent,
  options: UpdateOptions,
): Promise<UpdatedPass> {
  return update(ctx, name, { mode: 'replace', sent }, options);
}

/** Changes only the fields that are sent; null clears one. `properties` are those of an `Update`. */
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
  const known: UpdateRead & { bundle?: BundleLink[] } =
    read && !bundleId ? read : await readForUpdate(ctx, name, bundleId);
  const { found: first, issuers, bundle } = known;
  // What is wrong with the fields is said before that there is no such pass.
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

async function readForUpdate(ctx: AccountContext, name: string, bundleId: string | undefined) {
  const [[row], issuers, bundle] = await ctx.db.batch([
    definedPassQuery(ctx, name),
    googleIssuerQuery(ctx.db, ctx.account.id),
    ...claimBundleLink(ctx, bundleId),
  ]);
  return { found: row && toDefinedPass(row), issuers, bundle };
}

/** The bundle that a caller names, before anything has been checked; undefined when there is none. */
export function sentBundle({ bundleId }: Sent): string | undefined {
  const { data } = UpdateFields.shape.bundleId.safeParse(bundleId);
  return data || undefined;
}

/**
 * What a pass becomes by an update; the one place that says so, for single and bulk updates. What is sent as reads show
 * it stays as it is, unchecked. `templateOf` finds the templates of tiers, `load` imports images. Throws `invalid`
 * naming the field.
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

/** Whether a code was made of the flight before: a new seat must not leave the old one in it. */
async function hasFlightCode(ctx: AccountContext, { pass, definition }: DefinedPass, after: Pass): Promise<boolean> {
  if (!barcodeText(definition).includes('{bcbp}') || canonicalJson(pass.flight) === canonicalJson(after.flight)) {
    return false;
  }
  return pass.barcodeValue === (await defaultBarcode(ctx, definition, pass));
}

/** Null and an empty text clear a field; one that is not sent stays. */
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
