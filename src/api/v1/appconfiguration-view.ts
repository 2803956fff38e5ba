import * as z from 'zod';
import type { KeyRights } from '../../domain/api-keys/rights.ts';
import { grants } from '../../domain/api-keys/scopes.ts';
import type { ListedConfiguration } from '../../domain/app-configurations/find-configuration.ts';
import { isExpired, type LinkFacts, scanPath } from '../../domain/app-configurations/link-secrets.ts';
import { SCAN_PROPERTY_TYPES } from '../../domain/app-configurations/table.ts';
import type { AccountContext } from '../../domain/context.ts';
import { formatDateTime } from '../../platform/dates.ts';
import { ORIGIN, PASS_EXAMPLE, TEMPLATE_EXAMPLE, TEMPLATE_ID_EXAMPLE } from '../examples.ts';
import { LocalTime, like, text, textOrNull } from '../view-fields.ts';

/** A link of a configuration. */
export const LinkView = z.object({
  identifier: z.uuid(),
  branchLink: text(`${ORIGIN}/scan/Vq2xT9bLw4Yc`),
  canChangeConfig: z.boolean(),
  createdOn: LocalTime,
  expirationDate: text('2027-01-31 23:59:00'),
  validTo: text('2027-05-15 02:00:00'),
  expired: z.boolean(),
  isValid: like(z.boolean(), true),
  unlockPin: text('4711'),
  usedOn: z.string().nullable(),
});

/** Says who gets the secrets of links. */
export const LINKS_HIDDEN = 'Without the scope `scans:write`, `branchLink` and `unlockPin` are empty.';

/** Returns whether a key gets the secrets of links: anybody who has them can record scans. */
function canUseLinks({ scopes }: Pick<KeyRights, 'scopes'>): boolean {
  return grants(scopes, 'scans:write');
}

/** Returns a link without the secrets that open it. */
function withoutSecrets(link: z.infer<typeof LinkView>): z.infer<typeof LinkView> {
  return { ...link, branchLink: '', unlockPin: '' };
}

/**
 * Returns a link as its account sees it, with dates in the account's zone. After it expires, it opens only with its
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
  name: text('Main entrance'),
  configurationId: z.uuid(),
  passTemplateId: textOrNull(TEMPLATE_ID_EXAMPLE),
  passTemplateIds: z.array(z.string()).nullable(),
  passTemplateName: textOrNull(TEMPLATE_EXAMPLE.name),
  createdOn: LocalTime,
  createdOnUtc: text('2027-01-31 07:30:00'),
  scanMode: z.int(),
  place: text('Foyer'),
  validValidationPlaces: z
    .array(z.string())
    .nullable()
    .describe('The first 1,000 places of its templates. A list shows at most 5,000,000 characters of places'),
  additionalProperties: z.array(
    z.object({
      type: like(z.enum(SCAN_PROPERTY_TYPES), 'boolean'),
      name: text('Coat check'),
      id: text(PASS_EXAMPLE.propertyIds.Coach),
    }),
  ),
  backgroundColor: textOrNull('#14213d'),
  textColor: textOrNull('#ffffff'),
  timeToShowAutoSaveConfirmation: z.int(),
  type: z.int(),
  preventNegativeNumericValues: z.boolean(),
  preventNegativeStoredValueBalance: z.boolean(),
  showStoredValue: z.boolean(),
  incrementStoredValue: z.boolean(),
  appConfigurationLinks: z.array(LinkView),
});

/** Returns a configuration as its account sees it; for keys that can't use its links, without their secrets. */
export function configurationView(
  ctx: AccountContext,
  { configuration, templateName, validValidationPlaces, links }: ListedConfiguration,
  rights: Pick<KeyRights, 'scopes'>,
): z.infer<typeof ConfigurationView> {
  const shownLinks = links.map((link) => linkView(ctx, link));
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
    appConfigurationLinks: canUseLinks(rights) ? shownLinks : shownLinks.map(withoutSecrets),
  };
}
