import * as z from 'zod';
import type { AccountContext } from '../../domain/context.ts';
import { barcodePath, filePath, pagePath } from '../../domain/passes/page/links.ts';
import { searchString } from '../../domain/passes/search-index/search-string.ts';
import type { Pass } from '../../domain/passes/table.ts';
import { namedProperties } from '../../domain/passes/values/property-values.ts';
import type { StoredDefinition } from '../../domain/templates/definition.ts';
import { timeZoneOf } from '../../domain/templates/time-zone.ts';
import { formatDateTime } from '../../platform/dates.ts';
import {
  ORIGIN,
  PASS_EXAMPLE,
  PASS_FIELDS_EXAMPLE,
  PASS_ID_EXAMPLE,
  TEMPLATE_EXAMPLE,
  TEMPLATE_ID_EXAMPLE,
} from '../examples.ts';
import { Count, FlightView, LocalTime, like, NamedProperties, text, textOrNull } from '../view-fields.ts';

/** V1 create response. */
export const CreatedPassView = z.object({
  identifier: z.uuid(),
  uri: text(`${ORIGIN}/api/pass/${PASS_ID_EXAMPLE}`),
  linkToPassFile: text(PASS_EXAMPLE.file),
  linkToPassPage: text(PASS_EXAMPLE.page),
  barcodeValue: text(PASS_EXAMPLE.barcodeValue),
  genericProperties: NamedProperties,
  ErrorMessage: text(''),
});

/** Returns the reply to a v1 create. */
export function createdPassView(ctx: AccountContext, pass: Pass, definition: StoredDefinition) {
  return {
    identifier: pass.id,
    uri: passUri(ctx, pass),
    linkToPassFile: ctx.baseUrl + filePath(ctx.env, pass),
    linkToPassPage: ctx.baseUrl + pagePath(ctx.env, pass),
    barcodeValue: pass.barcodeValue,
    genericProperties: namedProperties(definition, pass.properties),
    ErrorMessage: '',
  };
}

function passUri(ctx: AccountContext, pass: Pass): string {
  return `${ctx.baseUrl}/api/pass/${pass.id}`;
}

/** V1 pass list item. */
export const PassItemView = z.object({
  identifier: z.uuid(),
  uri: text(`${ORIGIN}/api/pass/${PASS_ID_EXAMPLE}`),
  generatedId: text(PASS_EXAMPLE.generatedId),
  searchString: text(PASS_EXAMPLE.searchString),
  passData: text(JSON.stringify(PASS_EXAMPLE.propertiesById)),
  voided: z.boolean(),
  redeemed: z.boolean(),
  createdOn: LocalTime,
  modifiedOn: LocalTime,
  expirationDate: text('2027-01-31 23:59:00'),
  userProvidedId: text(PASS_FIELDS_EXAMPLE.userProvidedId),
  passTemplateGuid: like(z.uuid(), TEMPLATE_ID_EXAMPLE),
  passTemplateName: text(TEMPLATE_EXAMPLE.name),
  linkToPassPage: text(PASS_EXAMPLE.page),
  thumbnail: z.string().nullable(),
  qrCodeImage: text(PASS_EXAMPLE.file.replace('.pkpass', '.png')),
  barcodeValue: text(PASS_EXAMPLE.barcodeValue),
  numberOfActive: Count,
  numberOfInactive: z.int(),
  numberOfPrinted: z.int(),
  passFieldData: like(NamedProperties, PASS_EXAMPLE.propertiesById),
});

/**
 * Returns a pass for v1 lists and reads: its expiration in the template's zone, other dates in the account's, and an
 * empty text for a missing value.
 */
export function passItemView(
  ctx: AccountContext,
  pass: Pass,
  definition: Pick<StoredDefinition, 'name' | 'timezone'>,
): z.infer<typeof PassItemView> {
  const { timezone } = ctx.account;
  const thumbnail = pass.appearance.images?.thumbnail;
  return {
    identifier: pass.id,
    uri: passUri(ctx, pass),
    generatedId: pass.generatedId,
    searchString: searchString(pass),
    passData: JSON.stringify(pass.properties),
    voided: pass.voided,
    redeemed: pass.redeemed,
    createdOn: formatDateTime(pass.createdAt, timezone),
    modifiedOn: formatDateTime(pass.modifiedAt, timezone),
    expirationDate:
      pass.expirationAt === null ? '' : formatDateTime(pass.expirationAt, timeZoneOf(ctx.account, definition)),
    userProvidedId: pass.userProvidedId ?? '',
    passTemplateGuid: pass.templateId,
    passTemplateName: definition.name,
    linkToPassPage: ctx.baseUrl + pagePath(ctx.env, pass),
    thumbnail: thumbnail ? `${ctx.baseUrl}/images/${thumbnail.sha256}` : null,
    qrCodeImage: ctx.baseUrl + barcodePath(ctx.env, pass),
    barcodeValue: pass.barcodeValue,
    numberOfActive: pass.numberOfActive,
    numberOfInactive: pass.numberOfInactive,
    numberOfPrinted: pass.numberOfPrinted,
    passFieldData: pass.properties,
  };
}

/** A pass in the v1 read, which shows more than a list item. */
export const PassReadView = PassItemView.extend({
  lastUsage: z.string().nullable(),
  storedValue: like(z.number().nullable(), 1),
  eligiblePlaces: z.array(text('Foyer')),
  placesUsedAt: z.union([like(z.record(z.string(), z.string()), { Foyer: '2027-01-31 08:30:00' }), z.array(z.never())]),
  downloadPin: textOrNull('4711'),
  bundleId: z.string().nullable(),
  fieldMapping: like(z.record(z.string(), z.string()), PASS_EXAMPLE.propertyIds).optional(),
  ...FlightView.shape,
});

/**
 * Returns a pass for the v1 read with the definition that it shows. `maps` adds the field mapping. Flight fields are at
 * the top level.
 */
export function passReadView(ctx: AccountContext, pass: Pass, definition: StoredDefinition, maps = false) {
  const { timezone } = ctx.account;
  const used = Object.entries(pass.placesUsedAt ?? {}).map(([place, at]) => [place, formatDateTime(at, timezone)]);
  const mapping = definition.additionalProperties.map((property) => [property.name, property.id]);
  return {
    ...passItemView(ctx, pass, definition),
    lastUsage: pass.lastUsageAt === null ? null : formatDateTime(pass.lastUsageAt, timezone),
    storedValue: pass.storedValue,
    eligiblePlaces: pass.appearance.eligibleValidationPlaces ?? [],
    placesUsedAt: used.length > 0 ? (Object.fromEntries(used) as Record<string, string>) : [],
    downloadPin: pass.downloadPin,
    bundleId: pass.bundleId,
    ...(pass.flight ?? {}),
    ...(maps ? { fieldMapping: Object.fromEntries(mapping) as Record<string, string> } : {}),
  };
}
