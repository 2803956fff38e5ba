import * as z from 'zod';
import { AnyText, PassText, textUpTo, URL_HINT } from '../../fields.ts';
import { IMAGE_SOURCE_CHARS_MAX } from '../../limits.ts';
import { refuseIn, refuseRepeats } from '../refuse.ts';
import { isMoment, MOMENT_HINT } from './moment.ts';

/*
 * Members only for Google Wallet, with Google's names and forms, except that a LocalizedString is a plain text and an
 * image is a source. Values and limits: Wallet API v1, discovery document.
 */

/** "There is a maximum of ten on the object"; Google rejects more (`merchantLocations`). */
export const MERCHANT_LOCATIONS_MAX = 10;
/** "Maximum of fifteen on the object" (`valueAddedModuleData`). */
const VALUE_ADDED_MODULES_MAX = 15;
/** "There is a limit of 50 linked objects per primary object" (Auto Linked Passes). */
const LINKED_OBJECTS_MAX = 50;
/** "At most three rows are allowed to be specified" (`CardTemplateOverride`). */
const CARD_ROWS_MAX = 3;
/** "Character limit is 30" (`AppLinkData.displayText`). */
export const APP_LINK_CHARS_MAX = 30;
/** Google accepts more text modules, links and images than the ten, ten and one that it shows per object. */
const MODULES_MAX = 20;

/** A text with placeholders is checked again when a pass is shown, and left out if it is invalid. */
const hasPlaceholder = (text: string) => text.includes('{');

const FilledText = PassText.pipe(z.string().trim().min(1, 'must not be empty'));
const ImageSource = textUpTo(IMAGE_SOURCE_CHARS_MAX).pipe(z.string().min(1));

/** "URIs must have a scheme". Wallets don't open schemes that run code in a page. */
const URI_PATTERN = /^(?!(?:javascript|data|vbscript):)[a-z][a-z0-9+.-]*:\S+$/i;
const PLACEHOLDER = /\{[^{}]*\}/g;
const UriText = textUpTo(2_048).pipe(
  z.string().refine((text) => URI_PATTERN.test(text.replaceAll(PLACEHOLDER, 'x')), URL_HINT),
);

/** "alphanumeric characters, '_', or '-'": a dot would end the field path of a module. */
const ModuleId = AnyText.pipe(
  z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must have only letters, digits, "_" and "-", as in "opening-hours"'),
);

const Moment = AnyText.pipe(
  z
    .string()
    .max(200)
    .refine((text) => hasPlaceholder(text) || isMoment(text), MOMENT_HINT),
);

const FieldReference = z.object({
  fieldPath: AnyText.pipe(
    z
      .string()
      .max(200)
      .regex(/^(object|class)\.[\w.[\]'-]+$/, "must look like object.textModulesData['seat']"),
  ),
  dateFormat: z
    .enum(['DATE_TIME', 'DATE_ONLY', 'TIME_ONLY', 'DATE_TIME_YEAR', 'DATE_YEAR', 'YEAR_MONTH', 'YEAR_MONTH_DAY'])
    .nullish(),
});
const FieldSelector = z.object({ fields: z.array(FieldReference).min(1).max(10) });

const TemplateItem = z
  .object({
    firstValue: FieldSelector.nullish(),
    secondValue: FieldSelector.nullish(),
    predefinedItem: z
      .enum(['FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER', 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER'])
      .nullish(),
  })
  .refine((item) => Boolean(item.firstValue) !== Boolean(item.predefinedItem), {
    path: ['firstValue'],
    message: 'is required unless you send predefinedItem; send only one of them',
  })
  .refine((item) => !item.secondValue || item.firstValue, {
    path: ['secondValue'],
    message: 'needs firstValue',
  });

const CardRow = z
  .object({
    oneItem: z.object({ item: TemplateItem }).nullish(),
    twoItems: z.object({ startItem: TemplateItem, endItem: TemplateItem }).nullish(),
    threeItems: z.object({ startItem: TemplateItem, middleItem: TemplateItem, endItem: TemplateItem }).nullish(),
  })
  .refine(
    (row) => [row.oneItem, row.twoItems, row.threeItems].filter(Boolean).length === 1,
    'must have exactly one of oneItem, twoItems and threeItems',
  );

const BarcodeDetail = z.object({ fieldSelector: FieldSelector });
const ClassTemplateInfo = z.object({
  cardBarcodeSectionDetails: z
    .object({
      firstTopDetail: BarcodeDetail.nullish(),
      secondTopDetail: BarcodeDetail.nullish(),
      firstBottomDetail: BarcodeDetail.nullish(),
    })
    .nullish(),
  cardTemplateOverride: z.object({ cardRowTemplateInfos: z.array(CardRow).min(1).max(CARD_ROWS_MAX) }).nullish(),
  detailsTemplateOverride: z
    .object({
      detailsItemInfos: z
        .array(z.object({ item: TemplateItem }))
        .min(1)
        .max(100),
    })
    .nullish(),
  listTemplateOverride: z
    .object({
      firstRowOption: z
        .object({
          transitOption: z
            .enum(['ORIGIN_AND_DESTINATION_NAMES', 'ORIGIN_AND_DESTINATION_CODES', 'ORIGIN_NAME'])
            .nullish(),
          fieldOption: FieldSelector.nullish(),
        })
        .nullish(),
      secondRowOption: FieldSelector.nullish(),
    })
    .nullish(),
});

const Link = z.object({ id: ModuleId.nullish(), uri: UriText, description: PassText.nullish() });
const TextModule = z.object({ id: ModuleId.nullish(), header: PassText.nullish(), body: FilledText });
const ImageModule = z.object({ id: ModuleId.nullish(), mainImage: ImageSource });

export const ValueAddedModule = z.object({
  header: FilledText,
  body: PassText.nullish(),
  image: ImageSource.nullish(),
  uri: UriText.nullish(),
  sortIndex: z.number().int().min(0).max(2_147_483_647).nullish(),
  viewConstraints: z
    .object({
      displayInterval: z.object({
        start: z.object({ date: Moment }).nullish(),
        end: z.object({ date: Moment }).nullish(),
      }),
    })
    .nullish(),
});

const AppTarget = z
  .object({
    packageName: AnyText.pipe(
      z.string().regex(/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/, 'must look like com.example.app'),
    ).nullish(),
    targetUri: z.object({ uri: UriText, description: FilledText }).nullish(),
  })
  .refine((target) => target.packageName || target.targetUri, 'must have packageName or targetUri');
const AppLinkInfo = z.object({ appTarget: AppTarget });
const AppLinkData = z
  .object({
    androidAppLinkInfo: AppLinkInfo.nullish(),
    webAppLinkInfo: AppLinkInfo.nullish(),
    displayText: FilledText.pipe(
      z
        .string()
        .refine(
          (text) => hasPlaceholder(text) || text.length <= APP_LINK_CHARS_MAX,
          `must have at most ${APP_LINK_CHARS_MAX} characters`,
        ),
    ).nullish(),
  })
  .refine((link) => link.androidAppLinkInfo || link.webAppLinkInfo, 'must have androidAppLinkInfo or webAppLinkInfo');

const EventDateTime = z
  .object({
    doorsOpen: Moment.nullish(),
    start: Moment.nullish(),
    end: Moment.nullish(),
    doorsOpenLabel: z.enum(['DOORS_OPEN', 'GATES_OPEN']).nullish(),
    customDoorsOpenLabel: PassText.nullish(),
  })
  .refine((dateTime) => !dateTime.doorsOpenLabel || !dateTime.customDoorsOpenLabel, {
    path: ['customDoorsOpenLabel'],
    message: 'is not allowed together with doorsOpenLabel',
  });

const MerchantLocation = z.object({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
});

const Switch = z.object({ enableNotification: z.boolean() });

export const GENERIC_TYPES = [
  'GENERIC_SEASON_PASS',
  'GENERIC_UTILITY_BILLS',
  'GENERIC_PARKING_PASS',
  'GENERIC_VOUCHER',
  'GENERIC_GYM_MEMBERSHIP',
  'GENERIC_LIBRARY_MEMBERSHIP',
  'GENERIC_RESERVATIONS',
  'GENERIC_AUTO_INSURANCE',
  'GENERIC_HOME_INSURANCE',
  'GENERIC_ENTRY_TICKET',
  'GENERIC_RECEIPT',
  'GENERIC_LOYALTY_CARD',
  'GENERIC_OTHER',
] as const;

/** Issuer and object ID. It is text, because a 19-digit number would be rounded. */
export const OBJECT_ID_PATTERN = /^\d+\.[\w.-]+$/;
export const SHA256_PATTERN = /^[0-9a-f]{64}$/;
/** "Only ASCII characters are supported" (`smartTapRedemptionValue`). */
export const ASCII_PATTERN = /^[\x20-\x7e]+$/;

/** Creates the schema of a text that has placeholders or a certain form. */
const formed = (pattern: RegExp, hint: string) =>
  PassText.pipe(z.string().refine((text) => hasPlaceholder(text) || pattern.test(text), hint));

export const GoogleInput = z
  .object({
    classTemplateInfo: ClassTemplateInfo.nullish(),
    linksModuleData: z.object({ uris: z.array(Link).max(MODULES_MAX) }).nullish(),
    textModulesData: z.array(TextModule).max(MODULES_MAX).nullish(),
    imageModulesData: z.array(ImageModule).max(MODULES_MAX).nullish(),
    valueAddedModuleData: z.array(ValueAddedModule).max(VALUE_ADDED_MODULES_MAX).nullish(),
    linkedObjectIds: z
      .array(formed(OBJECT_ID_PATTERN, 'must look like 3388000000012345678.my-pass'))
      .max(LINKED_OBJECTS_MAX)
      .nullish(),
    notifyPreference: z.enum(['NOTIFY_ON_UPDATE']).nullish(),
    passConstraints: z
      .object({
        screenshotEligibility: z.enum(['ELIGIBLE', 'INELIGIBLE']).nullish(),
        nfcConstraint: z
          .array(z.enum(['BLOCK_PAYMENT', 'BLOCK_CLOSED_LOOP_TRANSIT']))
          .max(2)
          .nullish(),
      })
      .nullish(),
    saveRestrictions: z
      .object({
        restrictToEmailSha256: formed(
          SHA256_PATTERN,
          'must be a SHA-256 in lower-case hexadecimal, or a placeholder such as {emailRecipient}',
        ),
      })
      .nullish(),
    securityAnimation: z.object({ animationType: z.enum(['FOIL_SHIMMER']) }).nullish(),
    viewUnlockRequirement: z.enum(['UNLOCK_NOT_REQUIRED', 'UNLOCK_REQUIRED_TO_VIEW']).nullish(),
    appLinkData: AppLinkData.nullish(),
    enableSmartTap: z.boolean().nullish(),
    redemptionIssuers: z
      .array(z.string({ error: 'must be a string' }).regex(/^\d{1,20}$/, 'must look like "3388000000012345678"'))
      .max(20)
      .nullish(),
    smartTapRedemptionValue: formed(ASCII_PATTERN, 'must have only ASCII characters').nullish(),
    wideLogo: ImageSource.nullish(),
    genericType: z.enum(GENERIC_TYPES).nullish(),
    notifications: z.object({ expiryNotification: Switch.nullish(), upcomingNotification: Switch.nullish() }).nullish(),
    merchantLocations: z.array(MerchantLocation).max(MERCHANT_LOCATIONS_MAX).nullish(),
    venue: z.object({ name: FilledText, address: FilledText }).nullish(),
    seatInfo: z
      .object({
        seat: PassText.nullish(),
        row: PassText.nullish(),
        section: PassText.nullish(),
        gate: PassText.nullish(),
      })
      .nullish(),
    dateTime: EventDateTime.nullish(),
  })
  .superRefine((google, check) => {
    const lists = [
      [['textModulesData'], google.textModulesData],
      [['imageModulesData'], google.imageModulesData],
      [['linksModuleData', 'uris'], google.linksModuleData?.uris],
    ] as const;
    for (const [path, items] of lists) refuseRepeats(items, [...path], 'id', refuseIn(check));
  });
export type GoogleInput = z.infer<typeof GoogleInput>;
