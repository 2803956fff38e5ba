import * as z from 'zod';
import type { AccountContext } from '../../domain/context.ts';
import { Location } from '../../domain/fields.ts';
import { expirationOf } from '../../domain/passes/card/expiration.ts';
import { pagePath } from '../../domain/passes/page/links.ts';
import type { Pass } from '../../domain/passes/table.ts';
import { namedProperties } from '../../domain/passes/values/property-values.ts';
import { shownFields } from '../../domain/passes/values/shown-fields.ts';
import type { StoredDefinition } from '../../domain/templates/definition.ts';
import { timeZoneOf } from '../../domain/templates/time-zone.ts';
import { formatDateTime } from '../../platform/dates.ts';
import type { WalletLinks } from '../../wallets/links.ts';
import {
  PASS_EXAMPLE,
  PASS_FIELDS_EXAMPLE,
  PASS_ID_EXAMPLE,
  TEMPLATE_EXAMPLE,
  TEMPLATE_ID_EXAMPLE,
} from '../examples.ts';
import { Count, FlightView, LocalTime, like, NamedProperties, text, textOrNull } from '../view-fields.ts';

const PropertyValue = z.union([z.string(), z.boolean()]);

/** `data` of the reply to a v3 create. */
export const PassCreatedView = z.object({
  identifier: z.uuid(),
  bundleId: z.string().nullable(),
  downloadPage: text(PASS_EXAMPLE.page),
  barcodeValue: textOrNull(PASS_EXAMPLE.barcodeValue),
  passFileUri: text(PASS_EXAMPLE.file),
  walletSaveUri: textOrNull(PASS_EXAMPLE.save),
  genericProperties: NamedProperties,
});

/** Returns the reply to a v3 create or update. `barcodeValue` is null while it isn't known yet. */
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

/** A row of a search, and `data` of a v3 read. Additional properties are members of the row. */
export const PassRowView = z
  .object({
    identifier: like(z.uuid(), PASS_ID_EXAMPLE),
    userProvidedId: textOrNull(PASS_FIELDS_EXAMPLE.userProvidedId),
    barcodeValue: text(PASS_EXAMPLE.barcodeValue),
    generatedId: text(PASS_EXAMPLE.generatedId),
    templateId: like(z.uuid(), TEMPLATE_ID_EXAMPLE),
    passTemplateName: text(TEMPLATE_EXAMPLE.name),
    downloadPage: text(PASS_EXAMPLE.page),
    linkToPassPage: text(PASS_EXAMPLE.page),
    passFileUri: text(PASS_EXAMPLE.file),
    walletSaveUri: textOrNull(PASS_EXAMPLE.save),
    createdOn: LocalTime,
    modifiedOn: LocalTime,
    expirationDate: textOrNull('2027-01-31 23:59:00').describe('Expiration date of the pass itself, as you sent it'),
    effectiveExpirationDate: textOrNull('2027-01-31 23:59:00').describe(
      'Time when the pass expires, by its own date or the rules of its template',
    ),
    relevantDate: textOrNull('2027-01-31 20:30:00'),
    validAsOfDate: textOrNull('2027-01-31 00:00:00'),
    voided: like(z.boolean(), false),
    redeemed: like(z.boolean(), false),
    storedValue: like(z.number().nullable(), 1),
    bundleId: z.string().nullable(),
    groupingIdentifier: textOrNull('night-train-4711'),
    barcodeAlternativeText: textOrNull('Coach 21, berth 34'),
    emailRecipient: textOrNull('ada@example.com'),
    phoneRecipient: textOrNull('+43 664 1234567'),
    downloadPin: textOrNull('4711'),
    downloadEnabledUntil: textOrNull('2027-01-31 20:00:00').describe(
      'The download is open until this time; ignored in requests',
    ),
    labelColor: textOrNull('#fca311'),
    foregroundColor: textOrNull('#ffffff'),
    backgroundColor: textOrNull('#14213d'),
    footerBackgroundColor: textOrNull('#fca311'),
    locations: like(z.array(Location), PASS_FIELDS_EXAMPLE.locations),
    eligibleValidationPlaces: z.array(text('Foyer')),
    placesUsedAt: z
      .union([like(z.record(z.string(), z.string()), { Foyer: '2027-01-31 08:30:00' }), z.array(z.never())])
      .describe('Time of the last usage by place; an empty array if there is none'),
    urlToThumbnail: textOrNull(PASS_EXAMPLE.image),
    urlToBackground: textOrNull(PASS_EXAMPLE.image),
    urlToLogo: textOrNull(PASS_EXAMPLE.image),
    localizedBackgroundImages: like(z.record(z.string(), z.string()), { de: PASS_EXAMPLE.image }).nullable(),
    importErrors: z
      .array(
        z.object({
          field: text('urlToThumbnail'),
          url: text('https://shop.example.com/photos/ada.png'),
          message: text('image is not importable from URL (the server answered with status 404)'),
        }),
      )
      .describe('Images that could not be imported, until they are replaced or cleared'),
    numberOfActive: Count,
    numberOfInactive: like(z.int(), 0),
    firstDownloadedAt: textOrNull('2027-01-31 08:30:00'),
    ...FlightView.shape,
    // Other templates can have a property with this name.
    flightNumber: z.union([z.int(), PropertyValue]).optional(),
  })
  .catchall(PropertyValue);

/**
 * Returns a pass for v3. Sending it back in an update changes nothing. `keys` selects whether additional properties are
 * keyed by ID or name; one with the name of a member always has its ID.
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
  const date = (millis: number | null, zone = timezone) => (millis === null ? null : formatDateTime(millis, zone));
  const zone = timeZoneOf(ctx.account, definition);
  const row = {
    ...pass.flight,
    ...shownFields(ctx, pass, definition),
    identifier: pass.id,
    generatedId: pass.generatedId,
    templateId: pass.templateId,
    passTemplateName: definition.name,
    downloadPage: page,
    linkToPassPage: page,
    ...links,
    createdOn: date(pass.createdAt),
    modifiedOn: date(pass.modifiedAt),
    effectiveExpirationDate: date(expirationOf(definition, pass, zone) ?? null, zone),
    downloadEnabledUntil: date(pass.downloadEnabledUntilAt),
    redeemed: pass.redeemed,
    importErrors: (pass.appearance.importErrors ?? []).map(({ field, url, message }) => ({ field, url, message })),
    numberOfActive: pass.numberOfActive,
    numberOfInactive: pass.numberOfInactive,
    firstDownloadedAt: date(pass.firstDownloadedAt),
  };
  return { ...(keys === 'name' ? namedProperties(definition, pass.properties, row) : pass.properties), ...row };
}
