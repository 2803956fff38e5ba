import { z } from 'zod';
import type { ListedConfiguration } from '../../domain/app-configurations/find-configuration.ts';
import { isExpired, type LinkFacts, scanPath } from '../../domain/app-configurations/link-secrets.ts';
import { SCAN_PROPERTY_TYPES } from '../../domain/app-configurations/table.ts';
import type { AccountContext } from '../../domain/context.ts';
import { formatDateTime } from '../../platform/dates.ts';

/** A link of a configuration. */
export const LinkView = z.object({
  identifier: z.uuid(),
  branchLink: z.string(),
  canChangeConfig: z.boolean(),
  createdOn: z.string(),
  expirationDate: z.string(),
  validTo: z.string(),
  expired: z.boolean(),
  isValid: z.boolean(),
  unlockPin: z.string(),
  usedOn: z.string().nullable(),
});

/**
 * A link as its account sees it; dates in the account's zone. It is valid until it expires, and then opens with its
 * PIN.
 */
export function linkView(ctx: AccountContext, { link, token, pin }: LinkFacts): z.infer<typeof LinkView> {
  const date = (millis: number) => formatDateTime(millis, ctx.account.timezone);
  const expired = isExpired(link, Date.now());
  return {
    identifier: link.id,
    branchLink: ctx.baseUrl + scanPath(token),
    canChangeConfig: link.canChangeConfig,
    createdOn: date(link.createdAt),
    expirationDate: date(link.validToAt),
    validTo: date(link.validToAt),
    expired,
    isValid: !expired,
    unlockPin: pin,
    usedOn: link.usedAt === null ? null : date(link.usedAt),
  };
}

/** An app configuration. */
export const ConfigurationView = z.object({
  name: z.string(),
  configurationId: z.uuid(),
  passTemplateId: z.string().nullable(),
  passTemplateIds: z.array(z.string()).nullable(),
  passTemplateName: z.string().nullable(),
  createdOn: z.string(),
  createdOnUtc: z.string(),
  scanMode: z.int(),
  place: z.string(),
  validValidationPlaces: z.array(z.string()).nullable(),
  additionalProperties: z.array(z.object({ type: z.enum(SCAN_PROPERTY_TYPES), name: z.string(), id: z.string() })),
  backgroundColor: z.string().nullable(),
  textColor: z.string().nullable(),
  timeToShowAutoSaveConfirmation: z.int(),
  type: z.int(),
  preventNegativeNumericValues: z.boolean(),
  preventNegativeStoredValueBalance: z.boolean(),
  showStoredValue: z.boolean(),
  incrementStoredValue: z.boolean(),
  appConfigurationLinks: z.array(LinkView),
});

/** A configuration as its account sees it. */
export function configurationView(
  ctx: AccountContext,
  { configuration, templateName, validValidationPlaces, links }: ListedConfiguration,
): z.infer<typeof ConfigurationView> {
  return {
    name: configuration.name,
    configurationId: configuration.id,
    passTemplateId: configuration.passTemplateId,
    passTemplateIds: configuration.passTemplateIds,
    passTemplateName: templateName,
    createdOn: formatDateTime(configuration.createdAt, ctx.account.timezone),
    createdOnUtc: formatDateTime(configuration.createdAt, 'UTC'),
    scanMode: configuration.scanMode,
    place: configuration.place,
    validValidationPlaces,
    additionalProperties: configuration.additionalProperties,
    backgroundColor: configuration.backgroundColor,
    textColor: configuration.textColor,
    timeToShowAutoSaveConfirmation: configuration.timeToShowAutoSaveConfirmation,
    type: configuration.type,
    preventNegativeNumericValues: configuration.preventNegativeNumericValues,
    preventNegativeStoredValueBalance: configuration.preventNegativeStoredValueBalance,
    showStoredValue: configuration.showStoredValue,
    incrementStoredValue: configuration.incrementStoredValue,
    appConfigurationLinks: links.map((link) => linkView(ctx, link)),
  };
}
