import { z } from 'zod';
import type { AccountContext } from '../../domain/context.ts';
import { Location } from '../../domain/fields.ts';
import { expirationOf } from '../../domain/passes/card/expiration.ts';
import { pagePath } from '../../domain/passes/page/links.ts';
import type { Pass } from '../../domain/passes/table.ts';
import { namedProperties } from '../../domain/passes/values/property-values.ts';
import { shownFields } from '../../domain/passes/values/shown-fields.ts';
import type { StoredDefinition } from '../../domain/templates/definition.ts';
import { formatDateTime } from '../../platform/dates.ts';
import type { WalletLinks } from '../../wallets/links.ts';
import { FlightView } from '../flight-view.ts';

const PropertyValue = z.union([z.string(), z.boolean()]);

/** `data` of the reply to a v3 create. */
export const PassCreatedView = z.object({
  identifier: z.uuid(),
  bundleId: z.string().nullable(),
  downloadPage: z.string(),
  barcodeValue: z.string().nullable(),
  passFileUri: z.string(),
  walletSaveUri: z.string().nullable(),
  genericProperties: z.record(z.string(), PropertyValue),
});

/** The reply to a v3 create or update; `barcodeValue` is null while it is not known yet. */
export function passCreatedView(
  ctx: AccountContext,
  pass: Pass,
  definition: StoredDefinition,
  links: WalletLinks,
  barcodeValue: string | null,
): z.infer<typeof PassCreatedView> {
  return {
    identifier: pass.id,
    bundleId: pass.bundleId,
    downloadPage: ctx.baseUrl + pagePath(ctx.env, pass),
    barcodeValue,
    ...links,
    genericProperties: namedProperties(definition, pass.properties),
  };
}

/** One row of a search, and `data` of a v3 read; additional properties are flattened in. */
export const PassRowView = z
  .object({
    identifier: z.uuid(),
    userProvidedId: z.string().nullable(),
    barcodeValue: z.string(),
    generatedId: z.string(),
    templateId: z.uuid(),
    passTemplateName: z.string(),
    downloadPage: z.string(),
    linkToPassPage: z.string(),
    passFileUri: z.string(),
    walletSaveUri: z.string().nullable(),
    createdOn: z.string(),
    modifiedOn: z.string(),
    expirationDate: z.string().nullable().describe('Expiration date of the pass itself, as you sent it'),
    effectiveExpirationDate: z
      .string()
      .nullable()
      .describe('Time when the pass expires, by its own date or the rules of its template'),
    relevantDate: z.string().nullable(),
    validAsOfDate: z.string().nullable(),
    voided: z.boolean(),
    redeemed: z.boolean(),
    storedValue: z.number().nullable(),
    bundleId: z.string().nullable(),
    groupingIdentifier: z.string().nullable(),
    barcodeAlternativeText: z.string().nullable(),
    emailRecipient: z.string().nullable(),
    phoneRecipient: z.string().nullable(),
    downloadPin: z.string().nullable(),
    downloadEnabledUntil: z.string().nullable().describe('The download is open until this time; ignored in requests'),
    labelColor: z.string().nullable(),
    foregroundColor: z.string().nullable(),
    backgroundColor: z.string().nullable(),
    footerBackgroundColor: z.string().nullable(),
    locations: z.array(Location),
    eligibleValidationPlaces: z.array(z.string()),
    placesUsedAt: z
      .union([z.record(z.string(), z.string()), z.array(z.never())])
      .describe('Time of the last usage by place; an empty array if there is none'),
    urlToThumbnail: z.string().nullable(),
    urlToBackground: z.string().nullable(),
    urlToLogo: z.string().nullable(),
    localizedBackgroundImages: z.record(z.string(), z.string()).nullable(),
    importErrors: z
      .array(z.object({ field: z.string(), url: z.string(), message: z.string() }))
      .describe('Images that could not be imported, until they are replaced or cleared'),
    numberOfActive: z.int(),
    numberOfInactive: z.int(),
    firstDownloadedAt: z.string().nullable(),
    ...FlightView.shape,
    // Other templates may have a property of this name.
    flightNumber: z.union([z.int(), PropertyValue]).optional(),
  })
  .catchall(PropertyValue);

/**
 * One pass as v3 shows it; sent back to an update it changes nothing. `keys` says whether additional properties stand
 * under their ID or their name.
 */
export function passRowView(
  ctx: AccountContext,
  pass: Pass,
  definition: StoredDefinition,
  links: WalletLinks,
  keys: 'id' | 'name',
) {
  const page = ctx.baseUrl + pagePath(ctx.env, pass);
  const { timezone } = ctx.account;
  const date = (millis: number | null) => (millis === null ? null : formatDateTime(millis, timezone));
  return {
    ...(keys === 'name' ? namedProperties(definition, pass.properties) : pass.properties),
    ...(pass.flight ?? {}),
    ...shownFields(ctx, pass),
    identifier: pass.id,
    generatedId: pass.generatedId,
    templateId: pass.templateId,
    passTemplateName: definition.name,
    downloadPage: page,
    linkToPassPage: page,
    ...links,
    createdOn: date(pass.createdAt),
    modifiedOn: date(pass.modifiedAt),
    effectiveExpirationDate: date(expirationOf(definition, pass, timezone) ?? null),
    downloadEnabledUntil: date(pass.downloadEnabledUntilAt),
    redeemed: pass.redeemed,
    importErrors: (pass.appearance.importErrors ?? []).map(({ field, url, message }) => ({ field, url, message })),
    numberOfActive: pass.numberOfActive,
    numberOfInactive: pass.numberOfInactive,
    firstDownloadedAt: date(pass.firstDownloadedAt),
  };
}
