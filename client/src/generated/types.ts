// Generated from test/openapi.json by npm run contract. Do not edit.
import type { Pages } from '../pages.ts';
import type { CallOptions, FileBody } from '../call.ts';

/** Item of `listAppConfigurations`. */
export interface ListAppConfigurationsItem {
  name: string;
  configurationId: string;
  passTemplateId: string | null;
  passTemplateIds: string[] | null;
  passTemplateName: string | null;
  createdOn: string;
  createdOnUtc: string;
  scanMode: number;
  place: string;
  /** The first 1,000 places of its templates. A list shows at most 5,000,000 characters of places */
  validValidationPlaces: string[] | null;
  additionalProperties: {
    type: 'unicode' | 'double' | 'boolean';
    name: string;
    id: string;
  }[];
  backgroundColor: string | null;
  textColor: string | null;
  timeToShowAutoSaveConfirmation: number;
  type: number;
  preventNegativeNumericValues: boolean;
  preventNegativeStoredValueBalance: boolean;
  showStoredValue: boolean;
  incrementStoredValue: boolean;
  appConfigurationLinks: {
    identifier: string;
    branchLink: string;
    canChangeConfig: boolean;
    createdOn: string;
    expirationDate: string;
    validTo: string;
    expired: boolean;
    isValid: boolean;
    unlockPin: string;
    usedOn: string | null;
  }[];
}

/** Reply of `listAppConfigurations`. */
export type ListAppConfigurationsReply = ListAppConfigurationsItem[];

/** Reply of `createAppConfiguration`. */
export interface CreateAppConfigurationReply {
  configuration: {
    name: string;
    configurationId: string;
    passTemplateId: string | null;
    passTemplateIds: string[] | null;
    passTemplateName: string | null;
    createdOn: string;
    createdOnUtc: string;
    scanMode: number;
    place: string;
    /** The first 1,000 places of its templates. A list shows at most 5,000,000 characters of places */
    validValidationPlaces: string[] | null;
    additionalProperties: {
      type: 'unicode' | 'double' | 'boolean';
      name: string;
      id: string;
    }[];
    backgroundColor: string | null;
    textColor: string | null;
    timeToShowAutoSaveConfirmation: number;
    type: number;
    preventNegativeNumericValues: boolean;
    preventNegativeStoredValueBalance: boolean;
    showStoredValue: boolean;
    incrementStoredValue: boolean;
    appConfigurationLinks: {
      identifier: string;
      branchLink: string;
      canChangeConfig: boolean;
      createdOn: string;
      expirationDate: string;
      validTo: string;
      expired: boolean;
      isValid: boolean;
      unlockPin: string;
      usedOn: string | null;
    }[];
  }[];
}

/** Body of `createAppConfiguration`. */
export interface CreateAppConfigurationBody {
  name: string | number | boolean;
  scanMode: 0 | 1;
  type?: 0 | 1;
  place?: string | number | boolean | null;
  /** Identifier of a template, or its userProvidedId; ignored with `passTemplateIds` */
  passTemplateId?: string | number | boolean | null;
  passTemplateIds?: (string | number | boolean)[] | null;
  additionalProperties?: {
    id?: string | number | boolean | null;
    name: string | number | boolean;
    type: 'unicode' | 'double' | 'boolean';
  }[] | null;
  backgroundColor?: string | number | boolean | null;
  textColor?: string | number | boolean | null;
  timeToShowAutoSaveConfirmation?: number | null;
  showStoredValue?: boolean | null;
  incrementStoredValue?: boolean | null;
  preventNegativeNumericValues?: boolean | null;
  preventNegativeStoredValueBalance?: boolean | null;
}

export type ReadAppConfigurationReply = ListAppConfigurationsItem;

export type UpdateAppConfigurationReply = CreateAppConfigurationReply;

export type UpdateAppConfigurationBody = CreateAppConfigurationBody;

/** Reply of `deleteAppConfiguration`. */
export type DeleteAppConfigurationReply = undefined;

/** Reply of `createAppConfigurationLink`. */
export interface CreateAppConfigurationLinkReply {
  identifier: string;
  branchLink: string;
  canChangeConfig: boolean;
  createdOn: string;
  expirationDate: string;
  validTo: string;
  expired: boolean;
  isValid: boolean;
  unlockPin: string;
  usedOn: string | null;
}

/** Body of `createAppConfigurationLink`. */
export interface CreateAppConfigurationLinkBody {
  canChangeConfig?: boolean | null;
  validTo?: string | number | boolean | null;
}

/** Reply of `deleteAppConfigurationLink`. */
export type DeleteAppConfigurationLinkReply = undefined;

/** Reply of `createAppScan`. */
export interface CreateAppScanReply {
  appScanId: string;
  scanStatus: number;
  /** Reason why the scan was not accepted; null if it was accepted, or if the caller sent the status */
  validityReason: 'not_found' | 'stale_code' | 'voided' | 'not_yet_valid' | 'expired' | 'wrong_place' | 'already_used' | 'limit_reached' | null;
  passId: string | null;
}

/** Body of `createAppScan`. */
export interface CreateAppScanBody {
  appConfigurationId: string | number | boolean;
  scannedBarcodeValue?: string | number | boolean | null;
  passId?: string | number | boolean | null;
  scanStatus?: number | null;
  deviceName?: string | number | boolean | null;
  createdOn?: string | number | boolean | null;
  setVoided?: boolean | null;
  additionalProperties?: {
    [name: string]: unknown;
  } | null;
  storedValue?: number | string | null;
}

/** Item of `listAllAppScans`. */
export interface ListAllAppScansItem {
  scanStatus: number;
  /** Reason why the scan was not accepted; null if it was accepted, or if the caller sent the status */
  validityReason: 'not_found' | 'stale_code' | 'voided' | 'not_yet_valid' | 'expired' | 'wrong_place' | 'already_used' | 'limit_reached' | null;
  createdOn: string;
  passId: string | null;
  passGeneratedId: string | null;
  passSearchString: string | null;
  passVoided: boolean;
  passUserProvidedId: string | null;
  passTemplateGuid: string | null;
  passTemplateName: string | null;
  appConfigurationId: string;
  scannedBarcodeValue: string | null;
  appScanId: string;
}

/** Reply of `listAllAppScans`. */
export type ListAllAppScansReply = ListAllAppScansItem[];

/** Query of `listAllAppScans`. */
export interface ListAllAppScansQuery {
  appConfigurationId: string | number | boolean;
  createdSince?: string;
}

/** Item of `listAppScans`. */
export interface ListAppScansItem {
  scanStatus: number;
  /** Reason why the scan was not accepted; null if it was accepted, or if the caller sent the status */
  validityReason: 'not_found' | 'stale_code' | 'voided' | 'not_yet_valid' | 'expired' | 'wrong_place' | 'already_used' | 'limit_reached' | null;
  createdOn: string;
  passId: string | null;
  passGeneratedId: string | null;
  passSearchString: string | null;
  passVoided: boolean;
  passUserProvidedId: string | null;
  passTemplateGuid: string | null;
  passTemplateName: string | null;
  appConfigurationId: string;
  scannedBarcodeValue: string | null;
  appScanId: string;
  createdOnUtc: string;
  deviceName: string | null;
  storedValue: number | null;
  additionalPropertiesScan: {
    [name: string]: string | number | boolean;
  };
}

/** Reply of `listAppScans`. */
export interface ListAppScansReply {
  query: {
    start: number;
    pageSize: number;
    self: string;
    next?: string;
  };
  total: number;
  results: ListAppScansItem[];
}

/** Query of `listAppScans`. */
export interface ListAppScansQuery {
  start?: string | number;
  pageSize?: string | number;
  lastIdOfPriorPage?: string | number | boolean;
  lastCreatedOnOfPriorPage?: string;
  createdSince?: string;
}

/** Reply of `createCustomer`. */
export interface CreateCustomerReply {
  customer_identifier: string;
  apiToken: string;
  pricePerMonth: number;
}

/** Body of `createCustomer`. */
export interface CreateCustomerBody {
  company_name: string | number | boolean;
  email?: string | number | boolean | null;
  first_name?: string | number | boolean | null;
  last_name: string | number | boolean;
  address_street1?: string | number | boolean | null;
  address_street2?: string | number | boolean | null;
  zip_code?: string | number | boolean | null;
  city?: string | number | boolean | null;
  country?: string | number | boolean | null;
  vat_id?: string | number | boolean | null;
  maximum_number_of_active_passes?: number | string | null;
  system_language?: 'de' | 'en' | null;
  logoUrl?: string | number | boolean | null;
  iconUrl?: string | number | boolean | null;
}

/** Reply of `readSubscription`. */
export interface ReadSubscriptionReply {
  subscription_url: string | null;
  target_url: string | null;
  event: 'pass_created' | 'pass_updated' | 'pass_voided' | 'pass_unvoided' | 'pass_deleted' | 'pushnotification_registered' | 'first_pushnotification_registered' | 'pushnotification_unregistered' | 'pass_template_created' | 'pass_template_updated' | 'app_scan_created' | 'message_sent' | 'message_failed';
  pass_template: string | null;
  pull_mode: boolean;
  identifier: string;
  status: 'active' | 'paused' | 'ended';
  retryEnabled: boolean;
  signPayload: boolean;
  createdOn: string;
  metrics: {
    /** Delivered events */
    delivered: number;
    /** Failed events */
    failed: number;
    /** Milliseconds from the last delivered event to its delivery */
    lagMillis: number | null;
    lastOutcome: string | null;
    lastAttemptOn: string | null;
    /** Start of the current failures; null while deliveries succeed */
    failingSince: string | null;
  };
}

/** Reply of `deleteSubscription`. */
export type DeleteSubscriptionReply = undefined;

/** Item of `listDeliveries`. */
export interface ListDeliveriesItem {
  /** Identifier of the event; the `webhook-id` of each attempt */
  deliveryId: string;
  state: 'waiting' | 'delivered' | 'failed';
  createdOn: string;
  /** Approximate time of the next retry; null after the last attempt */
  nextAttemptOn: string | null;
  /** The last ten, oldest first */
  attempts: {
    attemptedOn: string;
    /** `delivered`, `status_500`, `timeout`, `dns_lookup_failed`, `private_address`, … */
    outcome: string;
    status?: number;
    /** Start of an unsuccessful response */
    answer?: string;
    durationMillis: number;
  }[];
}

/** Reply of `listDeliveries`. */
export interface ListDeliveriesReply {
  query: {
    pageSize: number;
    self: string;
    next?: string;
  };
  results: ListDeliveriesItem[];
}

/** Query of `listDeliveries`. */
export interface ListDeliveriesQuery {
  pageSize?: number;
  /** `deliveryId` of the last delivery on the previous page */
  before?: string | number | boolean;
}

/** Reply of `resendDelivery`. */
export interface ResendDeliveryReply {
  deliveryId: string;
}

/** Reply of `recoverEvents`. */
export interface RecoverEventsReply {
  since: string;
  until: string;
}

/** Body of `recoverEvents`. */
export interface RecoverEventsBody {
  since: string | number | boolean;
  until?: string | number | boolean;
}

export type ResumeSubscriptionReply = ReadSubscriptionReply;

/** Reply of `rotateSecret`. */
export interface RotateSecretReply {
  secret: string;
  previousSecretValidUntil: string;
}

export type TestSubscriptionReply = ResendDeliveryReply;

/** Item of `listSubscriptions`. */
export interface ListSubscriptionsItem {
  subscription_url: string | null;
  target_url: string | null;
  event: 'pass_created' | 'pass_updated' | 'pass_voided' | 'pass_unvoided' | 'pass_deleted' | 'pushnotification_registered' | 'first_pushnotification_registered' | 'pushnotification_unregistered' | 'pass_template_created' | 'pass_template_updated' | 'app_scan_created' | 'message_sent' | 'message_failed';
  pass_template: string | null;
  pull_mode: boolean;
  identifier: string;
  status: 'active' | 'paused' | 'ended';
  retryEnabled?: boolean;
  signPayload?: boolean;
  createdOn?: string;
  metrics?: {
    /** Delivered events */
    delivered: number;
    /** Failed events */
    failed: number;
    /** Milliseconds from the last delivered event to its delivery */
    lagMillis: number | null;
    lastOutcome: string | null;
    lastAttemptOn: string | null;
    /** Start of the current failures; null while deliveries succeed */
    failingSince: string | null;
  };
}

/** Reply of `listSubscriptions`. */
export type ListSubscriptionsReply = ListSubscriptionsItem[];

/** Query of `listSubscriptions`. */
export interface ListSubscriptionsQuery {
  includeMetrics?: boolean | 'true' | 'false';
}

/** Reply of `readWebhookPublicKey`. */
export interface ReadWebhookPublicKeyReply {
  publicKey: string;
}

/** Reply of `subscribe`. */
export interface SubscribeReply {
  subscription_url?: string | null;
  target_url?: string | null;
  event?: 'pass_created' | 'pass_updated' | 'pass_voided' | 'pass_unvoided' | 'pass_deleted' | 'pushnotification_registered' | 'first_pushnotification_registered' | 'pushnotification_unregistered' | 'pass_template_created' | 'pass_template_updated' | 'app_scan_created' | 'message_sent' | 'message_failed';
  pass_template?: string | null;
  pull_mode?: boolean;
  identifier?: string;
  status?: 'active' | 'paused' | 'ended';
  retryEnabled?: boolean;
  signPayload?: boolean;
  createdOn?: string;
  metrics?: {
    /** Delivered events */
    delivered: number;
    /** Failed events */
    failed: number;
    /** Milliseconds from the last delivered event to its delivery */
    lagMillis: number | null;
    lastOutcome: string | null;
    lastAttemptOn: string | null;
    /** Start of the current failures; null while deliveries succeed */
    failingSince: string | null;
  };
  /** Returned only once; each delivery carries it as a bearer token */
  accessToken?: string;
  /** Verifies `webhook-signature`; with `Prefer: return=representation` */
  secret?: string;
}

/** Query of `subscribe`. */
export interface SubscribeQuery {
  generateAccessToken?: boolean | 'true' | 'false';
}

/** Body of `subscribe`. */
export interface SubscribeBody {
  /** Required unless `pullMode` is true */
  target_url?: string | null;
  event: 'pass_created' | 'pass_updated' | 'pass_voided' | 'pass_unvoided' | 'pass_deleted' | 'pushnotification_registered' | 'first_pushnotification_registered' | 'pushnotification_unregistered' | 'pass_template_created' | 'pass_template_updated' | 'app_scan_created' | 'message_sent' | 'message_failed';
  /** Your own name for the subscription */
  subscription_url?: string | number | boolean | null;
  /** Retries failed deliveries; ignored in pull mode */
  retryEnabled?: boolean | null;
  /** Adds `signedData` and `signature` to each body; ignored in pull mode */
  signPayload?: boolean | null;
  /** Stores events for GET /api/v3/webhook-payload */
  pullMode?: boolean | null;
}

export type SubscribeToTemplateReply = SubscribeReply;

export type SubscribeToTemplateQuery = SubscribeQuery;

export type SubscribeToTemplateBody = SubscribeBody;

/** Reply of `unsubscribe`. */
export type UnsubscribeReply = undefined;

/** Body of `unsubscribe`. */
export interface UnsubscribeBody {
  target_url: string | number | boolean;
}

/** Reply of `unsubscribeByDelete`. */
export type UnsubscribeByDeleteReply = undefined;

export type UnsubscribeByDeleteBody = UnsubscribeBody;

/** Reply of `createPass`. */
export interface CreatePassReply {
  identifier: string;
  uri: string;
  linkToPassFile: string;
  linkToPassPage: string;
  barcodeValue: string;
  genericProperties: {
    [name: string]: string | boolean;
  };
  ErrorMessage: string;
}

/** Query of `createPass`. */
export interface CreatePassQuery {
  /** Identifier of the template, or its userProvidedId */
  passtemplate: string;
  integrationStyle?: boolean | 'true' | 'false';
}

/** Body of `createPass`. */
export interface CreatePassBody {
  /**
   * Your ID for the pass. It also opens the download page at `/p/{accountId}/{userProvidedId}`: anyone who guesses
   * it sees the pass. Use values that nobody can guess, set a `downloadPin`, or turn these pages off in the
   * settings of the account.
   */
  userProvidedId?: string | number | boolean | null;
  enforceUniqueUserProvidedId?: boolean | null;
  barcodeValue?: string | number | boolean | null;
  barcodeAlternativeText?: string | number | boolean | null;
  groupingIdentifier?: string | number | boolean | null;
  urlToThumbnail?: string | number | boolean | null;
  urlToBackground?: string | number | boolean | null;
  urlToLogo?: string | number | boolean | null;
  localizedBackgroundImages?: {
    [name: string]: string | number | boolean | null;
  } | null;
  validAsOfDate?: string | number | boolean | null;
  expirationDate?: string | number | boolean | null;
  relevantDate?: string | number | boolean | null;
  labelColor?: unknown;
  foregroundColor?: unknown;
  backgroundColor?: unknown;
  footerBackgroundColor?: unknown;
  emailRecipient?: string | number | boolean | null;
  phoneRecipient?: string | number | boolean | null;
  locations?: {
    latitude: number | string;
    longitude: number | string;
    altitude?: number | string | null;
    maxDistance?: number | string | null;
    relevantText?: string | number | boolean | null;
    localizedRelevantText?: {
      [name: string]: string | number | boolean;
    } | null;
  }[] | null;
  storedValue?: number | string | null;
  eligibleValidationPlaces?: (string | number | boolean)[] | null;
  /**
   * PIN that the download page asks for, with 4 to 64 characters. An empty text clears it. Stored only if the
   * template allows PINs (`downloadPinEnabled`); otherwise, `description` of a v3 reply says so
   */
  downloadPin?: string | number | boolean | null;
  bundleId?: string | number | boolean | null;
  originAirportCode?: string | number | boolean;
  destinationAirportCode?: string | number | boolean;
  localScheduledDepartureTime?: string | number | boolean;
  localBoardingDateTime?: string | number | boolean;
  passengerName?: string | number | boolean;
  carrierCode?: string | number | boolean;
  confirmationCode?: string | number | boolean;
  flightNumber?: number | string;
  originAirportGate?: string | number | boolean | null;
  originAirportTerminal?: string | number | boolean | null;
  destinationAirportGate?: string | number | boolean | null;
  destinationAirportTerminal?: string | number | boolean | null;
  localEstimatedOrActualDepartureDateTime?: string | number | boolean | null;
  localScheduledArrivalDateTime?: string | number | boolean | null;
  localEstimatedOrActualArrivalDateTime?: string | number | boolean | null;
  seatClass?: string | number | boolean | null;
  seatNumber?: string | number | boolean | null;
  sequenceNumber?: string | number | boolean | null;
  boardingGroup?: string | number | boolean | null;
  boardingPosition?: string | number | boolean | null;
  [name: string]: unknown;
}

/** Item of `listTemplates`. */
export interface ListTemplatesItem {
  identifier: string;
  name: string;
}

/** Reply of `listTemplates`. */
export type ListTemplatesReply = ListTemplatesItem[];

/** Item of `readFieldInformation`. */
export interface ReadFieldInformationItem {
  type: 'unicode' | 'datetime';
  key: string;
  required: boolean;
  label: string;
}

/** Reply of `readFieldInformation`. */
export type ReadFieldInformationReply = ReadFieldInformationItem[];

/** Query of `readFieldInformation`. */
export interface ReadFieldInformationQuery {
  integrationStyle: 'true' | '1';
}

/** Reply of `updateTemplate`. */
export type UpdateTemplateReply = undefined;

/** Body of `updateTemplate`. */
export interface UpdateTemplateBody {
  name: string | number | boolean;
  description?: string | number | boolean | null;
  organizationName?: string | number | boolean | null;
  /** Hexadecimal with # */
  foregroundColor?: string | number | boolean | null;
  /** Hexadecimal with # */
  backgroundColor?: string | number | boolean | null;
  /** Hexadecimal with # */
  labelColor?: string | number | boolean | null;
  /** Text below the barcode of passes without their own; can contain placeholders */
  barcodeValue?: string | number | boolean | null;
  /** URL or base64 */
  urlToLogo?: string | number | boolean | null;
  /** URL or base64 */
  urlToBackground?: string | number | boolean | null;
  /** URL or base64 */
  urlToIcon?: string | number | boolean | null;
  locations?: {
    latitude: number | string;
    longitude: number | string;
    altitude?: number | string | null;
    maxDistance?: number | string | null;
    relevantText?: string | number | boolean | null;
    localizedRelevantText?: {
      [name: string]: string | number | boolean;
    } | null;
  }[] | null;
  /** Use the account’s logo and icon if they exist */
  useDefaultImages?: boolean | null;
}

/** Reply of `deleteTemplate`. */
export type DeleteTemplateReply = [];

/** Reply of `createNotification`. */
export interface CreateNotificationReply {
  notificationId: string;
}

/** Body of `createNotification`. */
export interface CreateNotificationBody {
  pushNotificationText: string | number | boolean;
  publicationDate: string | number | boolean;
}

/** Reply of `listNotifications`. */
export type ListNotificationsReply = {
  scheduledTasks?: {
    notificationId: string;
    publicationDate: string;
    notificationText?: string;
  }[];
  executedTasks?: {
    notificationId: string;
    publicationDate: string;
    notificationText?: string;
  }[];
} | [];

/** Reply of `copyTemplate`. */
export interface CopyTemplateReply {
  identifier: string;
  /** Default images of the account that could not be fetched; absent when there are none */
  warnings?: string[];
}

/** Body of `copyTemplate`. */
export interface CopyTemplateBody {
  name: string | number | boolean;
  description?: string | number | boolean | null;
  organizationName?: string | number | boolean | null;
  /** Hexadecimal with # */
  foregroundColor?: string | number | boolean | null;
  /** Hexadecimal with # */
  backgroundColor?: string | number | boolean | null;
  /** Hexadecimal with # */
  labelColor?: string | number | boolean | null;
  /** Text below the barcode of passes without their own; can contain placeholders */
  barcodeValue?: string | number | boolean | null;
  barcodeAlternativeText?: string | number | boolean | null;
  /** URL or base64 */
  urlToLogo?: string | number | boolean | null;
  /** URL or base64 */
  urlToBackground?: string | number | boolean | null;
  /** URL or base64 */
  urlToIcon?: string | number | boolean | null;
  locations?: {
    latitude: number | string;
    longitude: number | string;
    altitude?: number | string | null;
    maxDistance?: number | string | null;
    relevantText?: string | number | boolean | null;
    localizedRelevantText?: {
      [name: string]: string | number | boolean;
    } | null;
  }[] | null;
  /** Use the account’s logo and icon if they exist */
  useDefaultImages?: boolean | null;
  /** External template ID; you can use it instead of the identifier */
  userProvidedId?: string | number | boolean | null;
}

export type CopyTemplateToCustomerReply = CopyTemplateReply;

export type CopyTemplateToCustomerBody = CopyTemplateBody;

/** Reply of `deleteNotification`. */
export type DeleteNotificationReply = [];

/** Reply of `readPass`. */
export interface ReadPassReply {
  identifier: string;
  uri: string;
  generatedId: string;
  searchString: string;
  passData: string;
  voided: boolean;
  redeemed: boolean;
  createdOn: string;
  modifiedOn: string;
  expirationDate: string;
  userProvidedId: string;
  passTemplateGuid: string;
  passTemplateName: string;
  linkToPassPage: string;
  thumbnail: string | null;
  qrCodeImage: string;
  barcodeValue: string;
  numberOfActive: number;
  numberOfInactive: number;
  numberOfPrinted: number;
  passFieldData: {
    [name: string]: string | boolean;
  };
  lastUsage: string | null;
  storedValue: number | null;
  eligiblePlaces: string[];
  placesUsedAt: {
    [name: string]: string;
  } | never[];
  downloadPin: string | null;
  bundleId: string | null;
  fieldMapping?: {
    [name: string]: string;
  };
  originAirportCode?: string | null;
  destinationAirportCode?: string | null;
  localScheduledDepartureTime?: string | null;
  localBoardingDateTime?: string | null;
  passengerName?: string | null;
  carrierCode?: string | null;
  confirmationCode?: string | null;
  flightNumber?: number;
  originAirportGate?: string | null;
  originAirportTerminal?: string | null;
  destinationAirportGate?: string | null;
  destinationAirportTerminal?: string | null;
  localEstimatedOrActualDepartureDateTime?: string | null;
  localScheduledArrivalDateTime?: string | null;
  localEstimatedOrActualArrivalDateTime?: string | null;
  seatClass?: string | null;
  seatNumber?: string | null;
  sequenceNumber?: string | null;
  boardingGroup?: string | null;
  boardingPosition?: string | null;
}

/** Query of `readPass`. */
export interface ReadPassQuery {
  includeFieldMapping?: boolean | 'true' | 'false';
  appConfigurationId?: string | number | boolean;
}

export type UpdatePassReply = CreatePassReply;

/** Query of `updatePass`. */
export interface UpdatePassQuery {
  integrationStyle?: boolean | 'true' | 'false';
}

/** Body of `updatePass`. */
export interface UpdatePassBody {
  /**
   * Your ID for the pass. It also opens the download page at `/p/{accountId}/{userProvidedId}`: anyone who guesses
   * it sees the pass. Use values that nobody can guess, set a `downloadPin`, or turn these pages off in the
   * settings of the account.
   */
  userProvidedId?: string | number | boolean | null;
  enforceUniqueUserProvidedId?: boolean | null;
  barcodeValue?: string | number | boolean | null;
  barcodeAlternativeText?: string | number | boolean | null;
  groupingIdentifier?: string | number | boolean | null;
  urlToThumbnail?: string | number | boolean | null;
  urlToBackground?: string | number | boolean | null;
  urlToLogo?: string | number | boolean | null;
  localizedBackgroundImages?: {
    [name: string]: string | number | boolean | null;
  } | null;
  validAsOfDate?: string | number | boolean | null;
  expirationDate?: string | number | boolean | null;
  relevantDate?: string | number | boolean | null;
  labelColor?: unknown;
  foregroundColor?: unknown;
  backgroundColor?: unknown;
  footerBackgroundColor?: unknown;
  emailRecipient?: string | number | boolean | null;
  phoneRecipient?: string | number | boolean | null;
  locations?: {
    latitude: number | string;
    longitude: number | string;
    altitude?: number | string | null;
    maxDistance?: number | string | null;
    relevantText?: string | number | boolean | null;
    localizedRelevantText?: {
      [name: string]: string | number | boolean;
    } | null;
  }[] | null;
  storedValue?: number | string | null;
  eligibleValidationPlaces?: (string | number | boolean)[] | null;
  /**
   * PIN that the download page asks for, with 4 to 64 characters. An empty text clears it. Stored only if the
   * template allows PINs (`downloadPinEnabled`); otherwise, `description` of a v3 reply says so
   */
  downloadPin?: string | number | boolean | null;
  bundleId?: string | number | boolean | null;
  originAirportCode?: string | number | boolean;
  destinationAirportCode?: string | number | boolean;
  localScheduledDepartureTime?: string | number | boolean;
  localBoardingDateTime?: string | number | boolean;
  passengerName?: string | number | boolean;
  carrierCode?: string | number | boolean;
  confirmationCode?: string | number | boolean;
  flightNumber?: number | string;
  originAirportGate?: string | number | boolean | null;
  originAirportTerminal?: string | number | boolean | null;
  destinationAirportGate?: string | number | boolean | null;
  destinationAirportTerminal?: string | number | boolean | null;
  localEstimatedOrActualDepartureDateTime?: string | number | boolean | null;
  localScheduledArrivalDateTime?: string | number | boolean | null;
  localEstimatedOrActualArrivalDateTime?: string | number | boolean | null;
  seatClass?: string | number | boolean | null;
  seatNumber?: string | number | boolean | null;
  sequenceNumber?: string | number | boolean | null;
  boardingGroup?: string | number | boolean | null;
  boardingPosition?: string | number | boolean | null;
  /** Voids or restores the pass; unchanged if left out */
  voided?: boolean;
  [name: string]: unknown;
}

/** Reply of `voidPass`. */
export type VoidPassReply = undefined;

/** Body of `voidPass`. */
export interface VoidPassBody {
  voided: boolean;
}

/** Reply of `deletePass`. */
export type DeletePassReply = undefined;

/** Reply of `enableDownload`. */
export type EnableDownloadReply = undefined;

/** Body of `enableDownload`. */
export interface EnableDownloadBody {
  enableDownloadUntil?: string | number | boolean | null;
}

/** Reply of `sendPushNotification`. */
export type SendPushNotificationReply = undefined;

/** Body of `sendPushNotification`. */
export interface SendPushNotificationBody {
  pushNotificationText: string | number | boolean;
}

/** Reply of `deliverPass`. */
export interface DeliverPassReply {
  messageId: string;
}

/** Reply of `readPassLinks`. */
export interface ReadPassLinksReply {
  passFileUri: string;
  walletSaveUri: string | null;
}

/** Item of `listPasses`. */
export interface ListPassesItem {
  identifier: string;
  uri: string;
  generatedId: string;
  searchString: string;
  passData: string;
  voided: boolean;
  redeemed: boolean;
  createdOn: string;
  modifiedOn: string;
  expirationDate: string;
  userProvidedId: string;
  passTemplateGuid: string;
  passTemplateName: string;
  linkToPassPage: string;
  thumbnail: string | null;
  qrCodeImage: string;
  barcodeValue: string;
  numberOfActive: number;
  numberOfInactive: number;
  numberOfPrinted: number;
  passFieldData: {
    [name: string]: string | boolean;
  };
}

/** Reply of `listPasses`. */
export interface ListPassesReply {
  query: {
    start: number;
    pageSize: number;
    self: string;
    next?: string;
  };
  total: number;
  results: ListPassesItem[];
}

/** Query of `listPasses`. */
export interface ListPassesQuery {
  start?: string | number;
  pageSize?: string | number;
  lastIdOfPriorPage?: string | number | boolean;
  lastCreatedOnOfPriorPage?: string;
  createdSince?: string;
  modifiedSince?: string;
}

/** Reply of `sendPushNotifications`. */
export type SendPushNotificationsReply = undefined;

/** Body of `sendPushNotifications`. */
export interface SendPushNotificationsBody {
  listOfPasses: (string | number | boolean)[];
  pushNotificationText: string | number | boolean;
}

/** Data of `createBundle`. */
export interface CreateBundleData {
  bundleId: string;
  urlToPass: string;
}

/** Reply of `createBundle`. */
export interface CreateBundleReply {
  success: boolean;
  description: string;
  errors: string[];
  data: CreateBundleData;
  statusCode: number;
}

/** Body of `createBundle`. */
export interface CreateBundleBody {
  passes: (string | number | boolean)[];
}

export type AddToBundleData = CreateBundleData;

/** Reply of `addToBundle`. */
export interface AddToBundleReply {
  success: boolean;
  description: string;
  errors: string[];
  data: AddToBundleData;
  statusCode: number;
}

export type AddToBundleBody = CreateBundleBody;

/** Data of `readBundle`. */
export interface ReadBundleData {
  passes: string[];
}

/** Reply of `readBundle`. */
export interface ReadBundleReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ReadBundleData;
  statusCode: number;
}

/** Reply of `deleteBundle`. */
export interface DeleteBundleReply {
  success: boolean;
  description: string;
  errors: string[];
  data: [];
  statusCode: number;
}

export type VoidBundleData = ReadBundleData;

/** Reply of `voidBundle`. */
export interface VoidBundleReply {
  success: boolean;
  description: string;
  errors: string[];
  data: VoidBundleData;
  statusCode: number;
}

export type VoidBundleBody = VoidPassBody;

export type CreateTemplateData = CopyTemplateReply;

/** Reply of `createTemplate`. */
export interface CreateTemplateReply {
  success: boolean;
  description: string;
  errors: string[];
  data: CreateTemplateData;
  statusCode: number;
}

/** Body of `createTemplate`. */
export interface CreateTemplateBody {
  name: string | number | boolean;
  description: string | number | boolean;
  organizationName: string | number | boolean;
  type: 'coupon' | 'storeCard' | 'eventTicket' | 'eventTicketBackground' | 'generic' | 'boardingPass';
  transitType?: 'PKTransitTypeAir' | 'PKTransitTypeBoat' | 'PKTransitTypeBus' | 'PKTransitTypeGeneric' | 'PKTransitTypeTrain' | null;
  preferredStyleScheme?: 'posterEventTicket' | 'semanticBoardingPass' | null;
  passTypeId?: string | number | boolean | null;
  projectId?: string | number | boolean | null;
  userProvidedId?: string | number | boolean | null;
  fields?: {
    headerFields?: {
      index?: number | null;
      key?: string | number | boolean | null;
      type?: 'text' | 'number' | 'currency' | 'date';
      label?: string | number | boolean;
      value?: string | number | boolean;
      changeMessage?: string | number | boolean | null;
      dateStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      timeStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      ignoresTimezone?: boolean | null;
      isRelative?: boolean | null;
      numberStyle?: 'PKNumberStyleDecimal' | 'PKNumberStylePercent' | 'PKNumberStyleScientific' | 'PKNumberStyleSpellOut' | null;
      currencyCode?: string | number | boolean | null;
      alignment?: 'PKTextAlignmentLeft' | 'PKTextAlignmentCenter' | 'PKTextAlignmentRight' | 'PKTextAlignmentNatural' | null;
      voidedLabel?: string | number | boolean | null;
      voidedValue?: string | number | boolean | null;
      row?: 0 | 1 | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
    }[];
    primaryFields?: {
      index?: number | null;
      key?: string | number | boolean | null;
      type?: 'text' | 'number' | 'currency' | 'date';
      label?: string | number | boolean;
      value?: string | number | boolean;
      changeMessage?: string | number | boolean | null;
      dateStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      timeStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      ignoresTimezone?: boolean | null;
      isRelative?: boolean | null;
      numberStyle?: 'PKNumberStyleDecimal' | 'PKNumberStylePercent' | 'PKNumberStyleScientific' | 'PKNumberStyleSpellOut' | null;
      currencyCode?: string | number | boolean | null;
      alignment?: 'PKTextAlignmentLeft' | 'PKTextAlignmentCenter' | 'PKTextAlignmentRight' | 'PKTextAlignmentNatural' | null;
      voidedLabel?: string | number | boolean | null;
      voidedValue?: string | number | boolean | null;
      row?: 0 | 1 | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
    }[];
    secondaryFields?: {
      index?: number | null;
      key?: string | number | boolean | null;
      type?: 'text' | 'number' | 'currency' | 'date';
      label?: string | number | boolean;
      value?: string | number | boolean;
      changeMessage?: string | number | boolean | null;
      dateStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      timeStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      ignoresTimezone?: boolean | null;
      isRelative?: boolean | null;
      numberStyle?: 'PKNumberStyleDecimal' | 'PKNumberStylePercent' | 'PKNumberStyleScientific' | 'PKNumberStyleSpellOut' | null;
      currencyCode?: string | number | boolean | null;
      alignment?: 'PKTextAlignmentLeft' | 'PKTextAlignmentCenter' | 'PKTextAlignmentRight' | 'PKTextAlignmentNatural' | null;
      voidedLabel?: string | number | boolean | null;
      voidedValue?: string | number | boolean | null;
      row?: 0 | 1 | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
    }[];
    auxiliaryFields?: {
      index?: number | null;
      key?: string | number | boolean | null;
      type?: 'text' | 'number' | 'currency' | 'date';
      label?: string | number | boolean;
      value?: string | number | boolean;
      changeMessage?: string | number | boolean | null;
      dateStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      timeStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      ignoresTimezone?: boolean | null;
      isRelative?: boolean | null;
      numberStyle?: 'PKNumberStyleDecimal' | 'PKNumberStylePercent' | 'PKNumberStyleScientific' | 'PKNumberStyleSpellOut' | null;
      currencyCode?: string | number | boolean | null;
      alignment?: 'PKTextAlignmentLeft' | 'PKTextAlignmentCenter' | 'PKTextAlignmentRight' | 'PKTextAlignmentNatural' | null;
      voidedLabel?: string | number | boolean | null;
      voidedValue?: string | number | boolean | null;
      row?: 0 | 1 | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
    }[];
    backFields?: {
      index?: number | null;
      key?: string | number | boolean | null;
      type?: 'text' | 'number' | 'currency' | 'date';
      label?: string | number | boolean;
      value?: string | number | boolean;
      changeMessage?: string | number | boolean | null;
      dateStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      timeStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      ignoresTimezone?: boolean | null;
      isRelative?: boolean | null;
      numberStyle?: 'PKNumberStyleDecimal' | 'PKNumberStylePercent' | 'PKNumberStyleScientific' | 'PKNumberStyleSpellOut' | null;
      currencyCode?: string | number | boolean | null;
      alignment?: 'PKTextAlignmentLeft' | 'PKTextAlignmentCenter' | 'PKTextAlignmentRight' | 'PKTextAlignmentNatural' | null;
      voidedLabel?: string | number | boolean | null;
      voidedValue?: string | number | boolean | null;
      row?: 0 | 1 | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
    }[];
  };
  additionalProperties?: {
    id?: string | number | boolean | null;
    name: string | number | boolean;
    type?: 'text' | 'textarea' | 'email' | 'number' | 'date' | 'datetime' | 'checkbox' | 'select' | 'radiobutton';
    required?: boolean;
    unique?: boolean;
    /** Whether its values are personal data, which members without the privilege `personal_data` can’t see */
    personal?: boolean;
    default?: string | number | boolean | null;
    options?: (string | number | boolean)[] | null;
  }[];
  barcode?: {
    format?: 'qr' | 'pdf417' | 'aztec' | 'code128' | 'ean13' | 'code39' | 'codabar' | 'itf' | 'none';
    value?: string | number | boolean;
    valueDifferentForEachPass?: boolean;
    useAutoIdForValue?: boolean;
    rotating?: {
      periodSeconds: number;
      digits: number;
      apple?: 'none' | 'static';
    } | null;
    alternativeText?: string | number | boolean;
  };
  nfc?: {
    enabled?: boolean;
    encryptionPublicKey?: string | number | boolean;
    requiresAuthentication?: boolean;
  };
  images?: {
    icon?: string | number | boolean | null;
    logo?: string | number | boolean | null;
    background?: string | number | boolean | null;
    strip?: string | number | boolean | null;
    thumbnail?: string | number | boolean | null;
    footer?: string | number | boolean | null;
    artwork?: string | number | boolean | null;
    primaryLogo?: string | number | boolean | null;
    secondaryLogo?: string | number | boolean | null;
    venueMap?: string | number | boolean | null;
    perPassImages?: {
      thumbnail?: boolean;
      background?: boolean;
      logo?: boolean;
    };
  };
  colors?: {
    backgroundColor?: string | number | boolean | null;
    foregroundColor?: string | number | boolean | null;
    labelColor?: string | number | boolean | null;
    footerBackgroundColor?: string | number | boolean | null;
    voidedBackgroundColor?: string | number | boolean | null;
  };
  translations?: {
    [name: string]: {
      [name: string]: string | number | boolean;
    };
  };
  translationsEnabled?: boolean;
  locations?: {
    latitude: number | string;
    longitude: number | string;
    altitude?: number | string | null;
    maxDistance?: number | string | null;
    relevantText?: string | number | boolean | null;
    localizedRelevantText?: {
      [name: string]: string | number | boolean;
    } | null;
  }[];
  /** IANA time zone of the dates on its passes; default: the time zone of the account */
  timezone?: string | number | boolean | null;
  /** Removes the locations of a pass after its first accepted scan */
  stopLocationsAfterUse?: boolean | null;
  relevantDate?: string | number | boolean | null;
  relevantDateDifferentForEachPass?: boolean;
  logoText?: string | number | boolean | null;
  links?: {
    label?: string | number | boolean;
    url: string | number | boolean;
  }[];
  expiration?: {
    expirationDate?: string | number | boolean | null;
    expirationDateDifferentForEachPass?: boolean;
    limitExpirationDateOfPassWithTemplate?: boolean;
    fallbackToTemplateExpirationDateIfEmpty?: boolean;
    validityInDays?: number | null;
  };
  enforceUniqueUserProvidedId?: boolean;
  maxPasses?: number | null;
  customNumberRange?: {
    from: number;
    to: number;
    prefix?: string | number | boolean;
    padding?: number;
  } | null;
  validValidationPlaces?: (string | number | boolean)[];
  groupingIdentifierEnabled?: boolean;
  /** Whether passes can have a `downloadPin`. Without it, none is stored */
  downloadPinEnabled?: boolean;
  preventDownloadWhenActive?: boolean;
  sharingProhibited?: boolean;
  hidePrintVersion?: boolean;
  passFunctionality?: {
    type: 'loyalty' | 'stampCollect' | 'stampSpend' | 'oncePerDay' | 'prepaid';
    tiers?: {
      minimumValue: number | string;
      /** Identifier of a template, or its userProvidedId */
      templateId: string | number | boolean;
    }[];
  } | null;
  sendoutOptions?: {
    passCreationNotification?: {
      subject: string | number | boolean;
      emailTemplate: string | number | boolean;
    } | null;
    adHoc?: {
      subject: string | number | boolean;
      emailTemplate: string | number | boolean;
    } | null;
    sms?: {
      text: string | number | boolean;
    } | null;
  };
  walletApps?: {
    apple?: boolean;
    google?: boolean;
  };
  /** Features of Google Wallet, with Google’s own field names */
  google?: {
    classTemplateInfo?: {
      cardBarcodeSectionDetails?: {
        firstTopDetail?: {
          fieldSelector: {
            fields: {
              fieldPath: string | number | boolean;
              dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
            }[];
          };
        } | null;
        secondTopDetail?: {
          fieldSelector: {
            fields: {
              fieldPath: string | number | boolean;
              dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
            }[];
          };
        } | null;
        firstBottomDetail?: {
          fieldSelector: {
            fields: {
              fieldPath: string | number | boolean;
              dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
            }[];
          };
        } | null;
      } | null;
      cardTemplateOverride?: {
        cardRowTemplateInfos: {
          oneItem?: {
            item: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
          } | null;
          twoItems?: {
            startItem: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
            endItem: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
          } | null;
          threeItems?: {
            startItem: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
            middleItem: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
            endItem: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
          } | null;
        }[];
      } | null;
      detailsTemplateOverride?: {
        detailsItemInfos: {
          item: {
            firstValue?: {
              fields: {
                fieldPath: string | number | boolean;
                dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
              }[];
            } | null;
            secondValue?: {
              fields: {
                fieldPath: string | number | boolean;
                dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
              }[];
            } | null;
            predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
          };
        }[];
      } | null;
      listTemplateOverride?: {
        firstRowOption?: {
          transitOption?: 'ORIGIN_AND_DESTINATION_NAMES' | 'ORIGIN_AND_DESTINATION_CODES' | 'ORIGIN_NAME' | null;
          fieldOption?: {
            fields: {
              fieldPath: string | number | boolean;
              dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
            }[];
          } | null;
        } | null;
        secondRowOption?: {
          fields: {
            fieldPath: string | number | boolean;
            dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
          }[];
        } | null;
      } | null;
    } | null;
    linksModuleData?: {
      uris: {
        id?: string | number | boolean | null;
        uri: string | number | boolean;
        description?: string | number | boolean | null;
      }[];
    } | null;
    textModulesData?: {
      id?: string | number | boolean | null;
      header?: string | number | boolean | null;
      body: string | number | boolean;
    }[] | null;
    imageModulesData?: {
      id?: string | number | boolean | null;
      mainImage: string | number | boolean;
    }[] | null;
    valueAddedModuleData?: {
      header: string | number | boolean;
      body?: string | number | boolean | null;
      image?: string | number | boolean | null;
      uri?: string | number | boolean | null;
      sortIndex?: number | null;
      viewConstraints?: {
        displayInterval: {
          start?: {
            date: string | number | boolean;
          } | null;
          end?: {
            date: string | number | boolean;
          } | null;
        };
      } | null;
    }[] | null;
    linkedObjectIds?: (string | number | boolean)[] | null;
    notifyPreference?: 'NOTIFY_ON_UPDATE' | null;
    passConstraints?: {
      screenshotEligibility?: 'ELIGIBLE' | 'INELIGIBLE' | null;
      nfcConstraint?: ('BLOCK_PAYMENT' | 'BLOCK_CLOSED_LOOP_TRANSIT')[] | null;
    } | null;
    saveRestrictions?: {
      restrictToEmailSha256: string | number | boolean;
    } | null;
    securityAnimation?: {
      animationType: 'FOIL_SHIMMER';
    } | null;
    viewUnlockRequirement?: 'UNLOCK_NOT_REQUIRED' | 'UNLOCK_REQUIRED_TO_VIEW' | null;
    appLinkData?: {
      androidAppLinkInfo?: {
        appTarget: {
          packageName?: string | number | boolean | null;
          targetUri?: {
            uri: string | number | boolean;
            description: string | number | boolean;
          } | null;
        };
      } | null;
      webAppLinkInfo?: {
        appTarget: {
          packageName?: string | number | boolean | null;
          targetUri?: {
            uri: string | number | boolean;
            description: string | number | boolean;
          } | null;
        };
      } | null;
      displayText?: string | number | boolean | null;
    } | null;
    enableSmartTap?: boolean | null;
    redemptionIssuers?: string[] | null;
    smartTapRedemptionValue?: string | number | boolean | null;
    wideLogo?: string | number | boolean | null;
    genericType?: 'GENERIC_SEASON_PASS' | 'GENERIC_UTILITY_BILLS' | 'GENERIC_PARKING_PASS' | 'GENERIC_VOUCHER' | 'GENERIC_GYM_MEMBERSHIP' | 'GENERIC_LIBRARY_MEMBERSHIP' | 'GENERIC_RESERVATIONS' | 'GENERIC_AUTO_INSURANCE' | 'GENERIC_HOME_INSURANCE' | 'GENERIC_ENTRY_TICKET' | 'GENERIC_RECEIPT' | 'GENERIC_LOYALTY_CARD' | 'GENERIC_OTHER' | null;
    notifications?: {
      expiryNotification?: {
        enableNotification: boolean;
      } | null;
      upcomingNotification?: {
        enableNotification: boolean;
      } | null;
    } | null;
    merchantLocations?: {
      latitude: number;
      longitude: number;
    }[] | null;
    venue?: {
      name: string | number | boolean;
      address: string | number | boolean;
    } | null;
    seatInfo?: {
      seat?: string | number | boolean | null;
      row?: string | number | boolean | null;
      section?: string | number | boolean | null;
      gate?: string | number | boolean | null;
    } | null;
    dateTime?: {
      doorsOpen?: string | number | boolean | null;
      start?: string | number | boolean | null;
      end?: string | number | boolean | null;
      doorsOpenLabel?: 'DOORS_OPEN' | 'GATES_OPEN' | null;
      customDoorsOpenLabel?: string | number | boolean | null;
    } | null;
  } | null;
  apple?: {
    preferredStyleSchemes?: ('posterEventTicket' | 'eventTicket' | 'semanticBoardingPass' | 'boardingPass')[] | null;
    posterGeneric?: {
      headerFields?: {
        [name: string]: unknown;
      }[] | null;
      primaryFields?: {
        [name: string]: unknown;
      }[] | null;
      footerFields?: {
        [name: string]: unknown;
      }[] | null;
      backFields?: {
        [name: string]: unknown;
      }[] | null;
      additionalInfoFields?: {
        [name: string]: unknown;
      }[] | null;
    } | null;
    additionalInfoFields?: {
      [name: string]: unknown;
    }[] | null;
    upcomingPassInformation?: {
      identifier: string | number | boolean;
      name: string | number | boolean;
      type?: 'event' | null;
      dateInformation?: {
        date?: string | number | boolean | null;
        timeZone?: string | number | boolean | null;
        ignoreTimeComponents?: boolean | null;
        isAllDay?: boolean | null;
        isUnannounced?: boolean | null;
        isUndetermined?: boolean | null;
      } | null;
      isActive?: boolean | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
      URLs?: {
        accessibilityURL?: string | number | boolean | null;
        addOnURL?: string | number | boolean | null;
        bagPolicyURL?: string | number | boolean | null;
        contactVenueEmail?: string | number | boolean | null;
        contactVenuePhoneNumber?: string | number | boolean | null;
        contactVenueWebsite?: string | number | boolean | null;
        directionsInformationURL?: string | number | boolean | null;
        merchandiseURL?: string | number | boolean | null;
        orderFoodURL?: string | number | boolean | null;
        parkingInformationURL?: string | number | boolean | null;
        purchaseParkingURL?: string | number | boolean | null;
        sellURL?: string | number | boolean | null;
        transferURL?: string | number | boolean | null;
        transitInformationURL?: string | number | boolean | null;
      } | null;
      images?: {
        headerImage?: {
          URLs?: {
            URL: string | number | boolean;
            SHA256: string | number | boolean;
            scale?: number | string | null;
            size?: number | string | null;
          }[] | null;
          reuseExisting?: boolean | null;
        } | null;
        venueMap?: {
          URLs?: {
            URL: string | number | boolean;
            SHA256: string | number | boolean;
            scale?: number | string | null;
            size?: number | string | null;
          }[] | null;
          reuseExisting?: boolean | null;
        } | null;
      } | null;
      additionalInfoFields?: {
        [name: string]: unknown;
      }[] | null;
      backFields?: {
        [name: string]: unknown;
      }[] | null;
      auxiliaryStoreIdentifiers?: (number | string)[] | null;
    }[] | null;
    semantics?: {
      [name: string]: unknown;
    } | null;
    featuredActions?: {
      identifier: string | number | boolean;
      type: 'viewSchedule' | 'watchTrailer' | 'listenToMusic' | 'call' | 'place' | 'addToBalance' | 'order' | 'shop' | 'membershipBenefits' | 'bookAppointment' | 'bookCar' | 'bookFlight' | 'bookStay' | 'viewOffersRewards';
      url?: string | number | boolean | null;
      placeIdentifier?: string | number | boolean | null;
    }[] | null;
    relevantDates?: {
      date?: string | number | boolean | null;
      relevantDate?: string | number | boolean | null;
      startDate?: string | number | boolean | null;
      endDate?: string | number | boolean | null;
    }[] | null;
    beacons?: {
      proximityUUID: string | number | boolean;
      major?: number | string | null;
      minor?: number | string | null;
      relevantText?: string | number | boolean | null;
    }[] | null;
    maxDistance?: number | string | null;
    accessibilityURL?: string | number | boolean | null;
    addOnURL?: string | number | boolean | null;
    bagPolicyURL?: string | number | boolean | null;
    contactVenueEmail?: string | number | boolean | null;
    contactVenuePhoneNumber?: string | number | boolean | null;
    contactVenueWebsite?: string | number | boolean | null;
    directionsInformationURL?: string | number | boolean | null;
    merchandiseURL?: string | number | boolean | null;
    orderFoodURL?: string | number | boolean | null;
    parkingInformationURL?: string | number | boolean | null;
    purchaseParkingURL?: string | number | boolean | null;
    sellURL?: string | number | boolean | null;
    transferURL?: string | number | boolean | null;
    transitInformationURL?: string | number | boolean | null;
    businessChatIdentifier?: string | number | boolean | null;
    changeSeatURL?: string | number | boolean | null;
    entertainmentURL?: string | number | boolean | null;
    managementURL?: string | number | boolean | null;
    purchaseAdditionalBaggageURL?: string | number | boolean | null;
    purchaseLoungeAccessURL?: string | number | boolean | null;
    purchaseWifiURL?: string | number | boolean | null;
    registerServiceAnimalURL?: string | number | boolean | null;
    reportLostBagURL?: string | number | boolean | null;
    requestWheelchairURL?: string | number | boolean | null;
    trackBagsURL?: string | number | boolean | null;
    transitProviderEmail?: string | number | boolean | null;
    transitProviderPhoneNumber?: string | number | boolean | null;
    transitProviderWebsiteURL?: string | number | boolean | null;
    upgradeURL?: string | number | boolean | null;
    eventLogoText?: string | number | boolean | null;
    useAutomaticColors?: boolean | null;
    suppressHeaderDarkening?: boolean | null;
    suppressStripShine?: boolean | null;
    appLaunchURL?: string | number | boolean | null;
    associatedStoreIdentifiers?: (number | string)[] | null;
    auxiliaryStoreIdentifiers?: (number | string)[] | null;
    userInfo?: {
      [name: string]: unknown;
    } | null;
  } | null;
}

export type ReplaceTemplateReply = DeleteBundleReply;

export type ReplaceTemplateBody = CreateTemplateBody;

export type PatchTemplateReply = DeleteBundleReply;

/** Body of `patchTemplate`. */
export interface PatchTemplateBody {
  name?: string | number | boolean | null;
  description?: string | number | boolean | null;
  organizationName?: string | number | boolean | null;
  type?: 'coupon' | 'storeCard' | 'eventTicket' | 'eventTicketBackground' | 'generic' | 'boardingPass' | null;
  transitType?: 'PKTransitTypeAir' | 'PKTransitTypeBoat' | 'PKTransitTypeBus' | 'PKTransitTypeGeneric' | 'PKTransitTypeTrain' | null;
  preferredStyleScheme?: 'posterEventTicket' | 'semanticBoardingPass' | null;
  passTypeId?: string | number | boolean | null;
  projectId?: string | number | boolean | null;
  userProvidedId?: string | number | boolean | null;
  fields?: {
    headerFields?: {
      index: number;
      key?: string | number | boolean | null;
      type?: 'text' | 'number' | 'currency' | 'date' | null;
      label?: string | number | boolean | null;
      value?: string | number | boolean | null;
      changeMessage?: string | number | boolean | null;
      dateStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      timeStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      ignoresTimezone?: boolean | null;
      isRelative?: boolean | null;
      numberStyle?: 'PKNumberStyleDecimal' | 'PKNumberStylePercent' | 'PKNumberStyleScientific' | 'PKNumberStyleSpellOut' | null;
      currencyCode?: string | number | boolean | null;
      alignment?: 'PKTextAlignmentLeft' | 'PKTextAlignmentCenter' | 'PKTextAlignmentRight' | 'PKTextAlignmentNatural' | null;
      voidedLabel?: string | number | boolean | null;
      voidedValue?: string | number | boolean | null;
      row?: 0 | 1 | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
    }[] | null;
    primaryFields?: {
      index: number;
      key?: string | number | boolean | null;
      type?: 'text' | 'number' | 'currency' | 'date' | null;
      label?: string | number | boolean | null;
      value?: string | number | boolean | null;
      changeMessage?: string | number | boolean | null;
      dateStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      timeStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      ignoresTimezone?: boolean | null;
      isRelative?: boolean | null;
      numberStyle?: 'PKNumberStyleDecimal' | 'PKNumberStylePercent' | 'PKNumberStyleScientific' | 'PKNumberStyleSpellOut' | null;
      currencyCode?: string | number | boolean | null;
      alignment?: 'PKTextAlignmentLeft' | 'PKTextAlignmentCenter' | 'PKTextAlignmentRight' | 'PKTextAlignmentNatural' | null;
      voidedLabel?: string | number | boolean | null;
      voidedValue?: string | number | boolean | null;
      row?: 0 | 1 | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
    }[] | null;
    secondaryFields?: {
      index: number;
      key?: string | number | boolean | null;
      type?: 'text' | 'number' | 'currency' | 'date' | null;
      label?: string | number | boolean | null;
      value?: string | number | boolean | null;
      changeMessage?: string | number | boolean | null;
      dateStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      timeStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      ignoresTimezone?: boolean | null;
      isRelative?: boolean | null;
      numberStyle?: 'PKNumberStyleDecimal' | 'PKNumberStylePercent' | 'PKNumberStyleScientific' | 'PKNumberStyleSpellOut' | null;
      currencyCode?: string | number | boolean | null;
      alignment?: 'PKTextAlignmentLeft' | 'PKTextAlignmentCenter' | 'PKTextAlignmentRight' | 'PKTextAlignmentNatural' | null;
      voidedLabel?: string | number | boolean | null;
      voidedValue?: string | number | boolean | null;
      row?: 0 | 1 | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
    }[] | null;
    auxiliaryFields?: {
      index: number;
      key?: string | number | boolean | null;
      type?: 'text' | 'number' | 'currency' | 'date' | null;
      label?: string | number | boolean | null;
      value?: string | number | boolean | null;
      changeMessage?: string | number | boolean | null;
      dateStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      timeStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      ignoresTimezone?: boolean | null;
      isRelative?: boolean | null;
      numberStyle?: 'PKNumberStyleDecimal' | 'PKNumberStylePercent' | 'PKNumberStyleScientific' | 'PKNumberStyleSpellOut' | null;
      currencyCode?: string | number | boolean | null;
      alignment?: 'PKTextAlignmentLeft' | 'PKTextAlignmentCenter' | 'PKTextAlignmentRight' | 'PKTextAlignmentNatural' | null;
      voidedLabel?: string | number | boolean | null;
      voidedValue?: string | number | boolean | null;
      row?: 0 | 1 | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
    }[] | null;
    backFields?: {
      index: number;
      key?: string | number | boolean | null;
      type?: 'text' | 'number' | 'currency' | 'date' | null;
      label?: string | number | boolean | null;
      value?: string | number | boolean | null;
      changeMessage?: string | number | boolean | null;
      dateStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      timeStyle?: 'PKDateStyleNone' | 'PKDateStyleShort' | 'PKDateStyleMedium' | 'PKDateStyleLong' | 'PKDateStyleFull' | null;
      ignoresTimezone?: boolean | null;
      isRelative?: boolean | null;
      numberStyle?: 'PKNumberStyleDecimal' | 'PKNumberStylePercent' | 'PKNumberStyleScientific' | 'PKNumberStyleSpellOut' | null;
      currencyCode?: string | number | boolean | null;
      alignment?: 'PKTextAlignmentLeft' | 'PKTextAlignmentCenter' | 'PKTextAlignmentRight' | 'PKTextAlignmentNatural' | null;
      voidedLabel?: string | number | boolean | null;
      voidedValue?: string | number | boolean | null;
      row?: 0 | 1 | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
    }[] | null;
  } | null;
  additionalProperties?: {
    id?: string | number | boolean | null;
    name?: string | number | boolean | null;
    type?: 'text' | 'textarea' | 'email' | 'number' | 'date' | 'datetime' | 'checkbox' | 'select' | 'radiobutton' | null;
    required?: boolean | null;
    unique?: boolean | null;
    personal?: boolean | null;
    default?: string | number | boolean | null;
    options?: (string | number | boolean)[] | null;
  }[] | null;
  barcode?: {
    format?: 'qr' | 'pdf417' | 'aztec' | 'code128' | 'ean13' | 'code39' | 'codabar' | 'itf' | 'none' | null;
    value?: string | number | boolean | null;
    valueDifferentForEachPass?: boolean | null;
    useAutoIdForValue?: boolean | null;
    rotating?: {
      periodSeconds?: number | null;
      digits?: number | null;
      apple?: 'none' | 'static' | null;
    } | null;
    alternativeText?: string | number | boolean | null;
  } | null;
  nfc?: {
    enabled?: boolean | null;
    encryptionPublicKey?: string | number | boolean | null;
    requiresAuthentication?: boolean | null;
  } | null;
  images?: {
    icon?: string | number | boolean | null;
    logo?: string | number | boolean | null;
    background?: string | number | boolean | null;
    strip?: string | number | boolean | null;
    thumbnail?: string | number | boolean | null;
    footer?: string | number | boolean | null;
    artwork?: string | number | boolean | null;
    primaryLogo?: string | number | boolean | null;
    secondaryLogo?: string | number | boolean | null;
    venueMap?: string | number | boolean | null;
    perPassImages?: {
      thumbnail?: boolean | null;
      background?: boolean | null;
      logo?: boolean | null;
    } | null;
  } | null;
  colors?: {
    backgroundColor?: string | number | boolean | null;
    foregroundColor?: string | number | boolean | null;
    labelColor?: string | number | boolean | null;
    footerBackgroundColor?: string | number | boolean | null;
    voidedBackgroundColor?: string | number | boolean | null;
  } | null;
  translations?: {
    [name: string]: {
      [name: string]: string | number | boolean | null;
    } | null;
  } | null;
  translationsEnabled?: boolean | null;
  locations?: {
    latitude: number | string;
    longitude: number | string;
    altitude?: number | string | null;
    maxDistance?: number | string | null;
    relevantText?: string | number | boolean | null;
    localizedRelevantText?: {
      [name: string]: string | number | boolean;
    } | null;
  }[] | null;
  timezone?: string | number | boolean | null;
  stopLocationsAfterUse?: boolean | null;
  relevantDate?: string | number | boolean | null;
  relevantDateDifferentForEachPass?: boolean | null;
  logoText?: string | number | boolean | null;
  links?: {
    label?: string | number | boolean;
    url: string | number | boolean;
  }[] | null;
  expiration?: {
    expirationDate?: string | number | boolean | null;
    expirationDateDifferentForEachPass?: boolean | null;
    limitExpirationDateOfPassWithTemplate?: boolean | null;
    fallbackToTemplateExpirationDateIfEmpty?: boolean | null;
    validityInDays?: number | null;
  } | null;
  enforceUniqueUserProvidedId?: boolean | null;
  maxPasses?: number | null;
  customNumberRange?: {
    from?: number | null;
    to?: number | null;
    prefix?: string | number | boolean | null;
    padding?: number | null;
  } | null;
  validValidationPlaces?: (string | number | boolean)[] | null;
  groupingIdentifierEnabled?: boolean | null;
  downloadPinEnabled?: boolean | null;
  preventDownloadWhenActive?: boolean | null;
  sharingProhibited?: boolean | null;
  hidePrintVersion?: boolean | null;
  passFunctionality?: {
    type?: 'loyalty' | 'stampCollect' | 'stampSpend' | 'oncePerDay' | 'prepaid' | null;
    tiers?: {
      minimumValue: number | string;
      /** Identifier of a template, or its userProvidedId */
      templateId: string | number | boolean;
    }[] | null;
  } | null;
  sendoutOptions?: {
    passCreationNotification?: {
      subject?: string | number | boolean | null;
      emailTemplate?: string | number | boolean | null;
    } | null;
    adHoc?: {
      subject?: string | number | boolean | null;
      emailTemplate?: string | number | boolean | null;
    } | null;
    sms?: {
      text?: string | number | boolean | null;
    } | null;
  } | null;
  walletApps?: {
    apple?: boolean | null;
    google?: boolean | null;
  } | null;
  google?: {
    classTemplateInfo?: {
      cardBarcodeSectionDetails?: {
        firstTopDetail?: {
          fieldSelector?: {
            fields?: {
              fieldPath: string | number | boolean;
              dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
            }[] | null;
          } | null;
        } | null;
        secondTopDetail?: {
          fieldSelector?: {
            fields?: {
              fieldPath: string | number | boolean;
              dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
            }[] | null;
          } | null;
        } | null;
        firstBottomDetail?: {
          fieldSelector?: {
            fields?: {
              fieldPath: string | number | boolean;
              dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
            }[] | null;
          } | null;
        } | null;
      } | null;
      cardTemplateOverride?: {
        cardRowTemplateInfos?: {
          oneItem?: {
            item: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
          } | null;
          twoItems?: {
            startItem: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
            endItem: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
          } | null;
          threeItems?: {
            startItem: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
            middleItem: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
            endItem: {
              firstValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              secondValue?: {
                fields: {
                  fieldPath: string | number | boolean;
                  dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
                }[];
              } | null;
              predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
            };
          } | null;
        }[] | null;
      } | null;
      detailsTemplateOverride?: {
        detailsItemInfos?: {
          item: {
            firstValue?: {
              fields: {
                fieldPath: string | number | boolean;
                dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
              }[];
            } | null;
            secondValue?: {
              fields: {
                fieldPath: string | number | boolean;
                dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
              }[];
            } | null;
            predefinedItem?: 'FREQUENT_FLYER_PROGRAM_NAME_AND_NUMBER' | 'FLIGHT_NUMBER_AND_OPERATING_FLIGHT_NUMBER' | null;
          };
        }[] | null;
      } | null;
      listTemplateOverride?: {
        firstRowOption?: {
          transitOption?: 'ORIGIN_AND_DESTINATION_NAMES' | 'ORIGIN_AND_DESTINATION_CODES' | 'ORIGIN_NAME' | null;
          fieldOption?: {
            fields?: {
              fieldPath: string | number | boolean;
              dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
            }[] | null;
          } | null;
        } | null;
        secondRowOption?: {
          fields?: {
            fieldPath: string | number | boolean;
            dateFormat?: 'DATE_TIME' | 'DATE_ONLY' | 'TIME_ONLY' | 'DATE_TIME_YEAR' | 'DATE_YEAR' | 'YEAR_MONTH' | 'YEAR_MONTH_DAY' | null;
          }[] | null;
        } | null;
      } | null;
    } | null;
    linksModuleData?: {
      uris?: {
        id?: string | number | boolean | null;
        uri: string | number | boolean;
        description?: string | number | boolean | null;
      }[] | null;
    } | null;
    textModulesData?: {
      id?: string | number | boolean | null;
      header?: string | number | boolean | null;
      body: string | number | boolean;
    }[] | null;
    imageModulesData?: {
      id?: string | number | boolean | null;
      mainImage: string | number | boolean;
    }[] | null;
    valueAddedModuleData?: {
      header: string | number | boolean;
      body?: string | number | boolean | null;
      image?: string | number | boolean | null;
      uri?: string | number | boolean | null;
      sortIndex?: number | null;
      viewConstraints?: {
        displayInterval: {
          start?: {
            date: string | number | boolean;
          } | null;
          end?: {
            date: string | number | boolean;
          } | null;
        };
      } | null;
    }[] | null;
    linkedObjectIds?: (string | number | boolean)[] | null;
    notifyPreference?: 'NOTIFY_ON_UPDATE' | null;
    passConstraints?: {
      screenshotEligibility?: 'ELIGIBLE' | 'INELIGIBLE' | null;
      nfcConstraint?: ('BLOCK_PAYMENT' | 'BLOCK_CLOSED_LOOP_TRANSIT')[] | null;
    } | null;
    saveRestrictions?: {
      restrictToEmailSha256?: string | number | boolean | null;
    } | null;
    securityAnimation?: {
      animationType?: 'FOIL_SHIMMER' | null;
    } | null;
    viewUnlockRequirement?: 'UNLOCK_NOT_REQUIRED' | 'UNLOCK_REQUIRED_TO_VIEW' | null;
    appLinkData?: {
      androidAppLinkInfo?: {
        appTarget?: {
          packageName?: string | number | boolean | null;
          targetUri?: {
            uri?: string | number | boolean | null;
            description?: string | number | boolean | null;
          } | null;
        } | null;
      } | null;
      webAppLinkInfo?: {
        appTarget?: {
          packageName?: string | number | boolean | null;
          targetUri?: {
            uri?: string | number | boolean | null;
            description?: string | number | boolean | null;
          } | null;
        } | null;
      } | null;
      displayText?: string | number | boolean | null;
    } | null;
    enableSmartTap?: boolean | null;
    redemptionIssuers?: string[] | null;
    smartTapRedemptionValue?: string | number | boolean | null;
    wideLogo?: string | number | boolean | null;
    genericType?: 'GENERIC_SEASON_PASS' | 'GENERIC_UTILITY_BILLS' | 'GENERIC_PARKING_PASS' | 'GENERIC_VOUCHER' | 'GENERIC_GYM_MEMBERSHIP' | 'GENERIC_LIBRARY_MEMBERSHIP' | 'GENERIC_RESERVATIONS' | 'GENERIC_AUTO_INSURANCE' | 'GENERIC_HOME_INSURANCE' | 'GENERIC_ENTRY_TICKET' | 'GENERIC_RECEIPT' | 'GENERIC_LOYALTY_CARD' | 'GENERIC_OTHER' | null;
    notifications?: {
      expiryNotification?: {
        enableNotification?: boolean | null;
      } | null;
      upcomingNotification?: {
        enableNotification?: boolean | null;
      } | null;
    } | null;
    merchantLocations?: {
      latitude: number;
      longitude: number;
    }[] | null;
    venue?: {
      name?: string | number | boolean | null;
      address?: string | number | boolean | null;
    } | null;
    seatInfo?: {
      seat?: string | number | boolean | null;
      row?: string | number | boolean | null;
      section?: string | number | boolean | null;
      gate?: string | number | boolean | null;
    } | null;
    dateTime?: {
      doorsOpen?: string | number | boolean | null;
      start?: string | number | boolean | null;
      end?: string | number | boolean | null;
      doorsOpenLabel?: 'DOORS_OPEN' | 'GATES_OPEN' | null;
      customDoorsOpenLabel?: string | number | boolean | null;
    } | null;
  } | null;
  apple?: {
    preferredStyleSchemes?: ('posterEventTicket' | 'eventTicket' | 'semanticBoardingPass' | 'boardingPass')[] | null;
    posterGeneric?: {
      headerFields?: {
        [name: string]: unknown;
      }[] | null;
      primaryFields?: {
        [name: string]: unknown;
      }[] | null;
      footerFields?: {
        [name: string]: unknown;
      }[] | null;
      backFields?: {
        [name: string]: unknown;
      }[] | null;
      additionalInfoFields?: {
        [name: string]: unknown;
      }[] | null;
    } | null;
    additionalInfoFields?: {
      [name: string]: unknown;
    }[] | null;
    upcomingPassInformation?: {
      identifier: string | number | boolean;
      name: string | number | boolean;
      type?: 'event' | null;
      dateInformation?: {
        date?: string | number | boolean | null;
        timeZone?: string | number | boolean | null;
        ignoreTimeComponents?: boolean | null;
        isAllDay?: boolean | null;
        isUnannounced?: boolean | null;
        isUndetermined?: boolean | null;
      } | null;
      isActive?: boolean | null;
      semantics?: {
        [name: string]: unknown;
      } | null;
      URLs?: {
        accessibilityURL?: string | number | boolean | null;
        addOnURL?: string | number | boolean | null;
        bagPolicyURL?: string | number | boolean | null;
        contactVenueEmail?: string | number | boolean | null;
        contactVenuePhoneNumber?: string | number | boolean | null;
        contactVenueWebsite?: string | number | boolean | null;
        directionsInformationURL?: string | number | boolean | null;
        merchandiseURL?: string | number | boolean | null;
        orderFoodURL?: string | number | boolean | null;
        parkingInformationURL?: string | number | boolean | null;
        purchaseParkingURL?: string | number | boolean | null;
        sellURL?: string | number | boolean | null;
        transferURL?: string | number | boolean | null;
        transitInformationURL?: string | number | boolean | null;
      } | null;
      images?: {
        headerImage?: {
          URLs?: {
            URL: string | number | boolean;
            SHA256: string | number | boolean;
            scale?: number | string | null;
            size?: number | string | null;
          }[] | null;
          reuseExisting?: boolean | null;
        } | null;
        venueMap?: {
          URLs?: {
            URL: string | number | boolean;
            SHA256: string | number | boolean;
            scale?: number | string | null;
            size?: number | string | null;
          }[] | null;
          reuseExisting?: boolean | null;
        } | null;
      } | null;
      additionalInfoFields?: {
        [name: string]: unknown;
      }[] | null;
      backFields?: {
        [name: string]: unknown;
      }[] | null;
      auxiliaryStoreIdentifiers?: (number | string)[] | null;
    }[] | null;
    semantics?: {
      [name: string]: unknown;
    } | null;
    featuredActions?: {
      identifier: string | number | boolean;
      type: 'viewSchedule' | 'watchTrailer' | 'listenToMusic' | 'call' | 'place' | 'addToBalance' | 'order' | 'shop' | 'membershipBenefits' | 'bookAppointment' | 'bookCar' | 'bookFlight' | 'bookStay' | 'viewOffersRewards';
      url?: string | number | boolean | null;
      placeIdentifier?: string | number | boolean | null;
    }[] | null;
    relevantDates?: {
      date?: string | number | boolean | null;
      relevantDate?: string | number | boolean | null;
      startDate?: string | number | boolean | null;
      endDate?: string | number | boolean | null;
    }[] | null;
    beacons?: {
      proximityUUID: string | number | boolean;
      major?: number | string | null;
      minor?: number | string | null;
      relevantText?: string | number | boolean | null;
    }[] | null;
    maxDistance?: number | string | null;
    accessibilityURL?: string | number | boolean | null;
    addOnURL?: string | number | boolean | null;
    bagPolicyURL?: string | number | boolean | null;
    contactVenueEmail?: string | number | boolean | null;
    contactVenuePhoneNumber?: string | number | boolean | null;
    contactVenueWebsite?: string | number | boolean | null;
    directionsInformationURL?: string | number | boolean | null;
    merchandiseURL?: string | number | boolean | null;
    orderFoodURL?: string | number | boolean | null;
    parkingInformationURL?: string | number | boolean | null;
    purchaseParkingURL?: string | number | boolean | null;
    sellURL?: string | number | boolean | null;
    transferURL?: string | number | boolean | null;
    transitInformationURL?: string | number | boolean | null;
    businessChatIdentifier?: string | number | boolean | null;
    changeSeatURL?: string | number | boolean | null;
    entertainmentURL?: string | number | boolean | null;
    managementURL?: string | number | boolean | null;
    purchaseAdditionalBaggageURL?: string | number | boolean | null;
    purchaseLoungeAccessURL?: string | number | boolean | null;
    purchaseWifiURL?: string | number | boolean | null;
    registerServiceAnimalURL?: string | number | boolean | null;
    reportLostBagURL?: string | number | boolean | null;
    requestWheelchairURL?: string | number | boolean | null;
    trackBagsURL?: string | number | boolean | null;
    transitProviderEmail?: string | number | boolean | null;
    transitProviderPhoneNumber?: string | number | boolean | null;
    transitProviderWebsiteURL?: string | number | boolean | null;
    upgradeURL?: string | number | boolean | null;
    eventLogoText?: string | number | boolean | null;
    useAutomaticColors?: boolean | null;
    suppressHeaderDarkening?: boolean | null;
    suppressStripShine?: boolean | null;
    appLaunchURL?: string | number | boolean | null;
    associatedStoreIdentifiers?: (number | string)[] | null;
    auxiliaryStoreIdentifiers?: (number | string)[] | null;
    userInfo?: {
      [name: string]: unknown;
    } | null;
  } | null;
}

/** Data of `describeTemplate`. */
export interface DescribeTemplateData {
  identifier: string;
  [name: string]: unknown;
}

/** Reply of `describeTemplate`. */
export interface DescribeTemplateReply {
  success: boolean;
  description: string;
  errors: string[];
  data: DescribeTemplateData;
  statusCode: number;
}

/** Reply of `exportTemplate`. */
export type ExportTemplateReply = Response;

export type PublishTemplateReply = DeleteBundleReply;

/** Body of `publishTemplate`. */
export interface PublishTemplateBody {
  /** Y-m-d H:i in the account’s time zone; absent: now */
  publicationDate?: string | number | boolean | null;
}

/** Data of `importTemplate`. */
export interface ImportTemplateData {
  identifier: string;
  /** Parts that were left out, and why; empty if there are none */
  warnings: string[];
}

/** Reply of `importTemplate`. */
export interface ImportTemplateReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ImportTemplateData;
  statusCode: number;
}

/** Query of `importTemplate`. */
export interface ImportTemplateQuery {
  /** Default: the name of the folder, or else the description */
  name?: string;
  projectId?: string;
}

/** Item of `lintTemplate`. */
export interface LintTemplateItem {
  /** The member, as in error messages; empty for the whole definition */
  path: string;
  wallet: 'apple' | 'google' | 'both';
  severity: 'error' | 'warning' | 'hint';
  message: string;
  /** URL or name of a document */
  source: string;
}

/** Reply of `lintTemplate`. */
export interface LintTemplateReply {
  success: boolean;
  description: string;
  errors: string[];
  data: LintTemplateItem[];
  statusCode: number;
}

/** Body of `lintTemplate`. */
export interface LintTemplateBody {
  [name: string]: unknown;
}

export type MovePassReply = DeleteBundleReply;

/** Item of `listApiKeys`. */
export interface ListApiKeysItem {
  identifier: string;
  name: string;
  active: boolean;
  scopes: ('passes:read' | 'passes:write' | 'templates:read' | 'templates:write' | 'scans:read' | 'scans:write' | 'messages:send' | 'webhooks:manage' | 'customers:manage' | 'persons:manage' | 'keys:manage' | 'audit:read' | '*')[];
  /** Null: all templates */
  templateIds: string[] | null;
  /** Null: all addresses */
  allowedIps: string[] | null;
  /** Null: never */
  expiresAt: string | null;
  createdAt: string;
  createdBy: {
    /** Null if it was not recorded */
    type: 'api_key' | 'user' | 'scanner_link' | 'operator' | 'system' | null;
    id: string | null;
    name: string | null;
  };
  /** Accurate to a minute. Null: never */
  lastUsedAt: string | null;
  /** The previous value works until then. Null: it no longer works */
  previousValueExpiresAt: string | null;
}

/** Reply of `listApiKeys`. */
export interface ListApiKeysReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ListApiKeysItem[];
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Query of `listApiKeys`. */
export interface ListApiKeysQuery {
  pageSize?: number;
  /** Identifier of the last key on the previous page */
  startUid?: string | number | boolean;
}

/** Data of `createApiKey`. */
export interface CreateApiKeyData {
  identifier: string;
  name: string;
  active: boolean;
  scopes: ('passes:read' | 'passes:write' | 'templates:read' | 'templates:write' | 'scans:read' | 'scans:write' | 'messages:send' | 'webhooks:manage' | 'customers:manage' | 'persons:manage' | 'keys:manage' | 'audit:read' | '*')[];
  /** Null: all templates */
  templateIds: string[] | null;
  /** Null: all addresses */
  allowedIps: string[] | null;
  /** Null: never */
  expiresAt: string | null;
  createdAt: string;
  createdBy: {
    /** Null if it was not recorded */
    type: 'api_key' | 'user' | 'scanner_link' | 'operator' | 'system' | null;
    id: string | null;
    name: string | null;
  };
  /** Accurate to a minute. Null: never */
  lastUsedAt: string | null;
  /** The previous value works until then. Null: it no longer works */
  previousValueExpiresAt: string | null;
  /** The value of the key, returned only here */
  apiKey: string;
}

/** Reply of `createApiKey`. */
export interface CreateApiKeyReply {
  success: boolean;
  description: string;
  errors: string[];
  data: CreateApiKeyData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Body of `createApiKey`. */
export interface CreateApiKeyBody {
  name: string | number | boolean;
  scopes?: ('passes:read' | 'passes:write' | 'templates:read' | 'templates:write' | 'scans:read' | 'scans:write' | 'messages:send' | 'webhooks:manage' | 'customers:manage' | 'persons:manage' | 'keys:manage' | 'audit:read' | '*')[];
  templateIds?: (string | number | boolean)[] | null;
  allowedIps?: (string | number | boolean)[] | null;
  expiresAt?: string | null;
}

export type UpdateApiKeyData = ListApiKeysItem;

/** Reply of `updateApiKey`. */
export interface UpdateApiKeyReply {
  success: boolean;
  description: string;
  errors: string[];
  data: UpdateApiKeyData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Body of `updateApiKey`. */
export interface UpdateApiKeyBody {
  name?: string | number | boolean;
  scopes?: ('passes:read' | 'passes:write' | 'templates:read' | 'templates:write' | 'scans:read' | 'scans:write' | 'messages:send' | 'webhooks:manage' | 'customers:manage' | 'persons:manage' | 'keys:manage' | 'audit:read' | '*')[];
  templateIds?: (string | number | boolean)[] | null;
  allowedIps?: (string | number | boolean)[] | null;
  expiresAt?: string | null;
  active?: boolean;
}

/** Reply of `deleteApiKey`. */
export interface DeleteApiKeyReply {
  success: boolean;
  description: string;
  errors: string[];
  data: [];
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Data of `rotateApiKey`. */
export interface RotateApiKeyData {
  identifier: string;
  /** The value of the key, returned only here */
  apiKey: string;
  /** Null: it no longer works */
  previousValueExpiresAt: string | null;
}

/** Reply of `rotateApiKey`. */
export interface RotateApiKeyReply {
  success: boolean;
  description: string;
  errors: string[];
  data: RotateApiKeyData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Body of `rotateApiKey`. */
export interface RotateApiKeyBody {
  overlapMinutes?: number;
}

/** Item of `listAuditLog`. */
export interface ListAuditLogItem {
  id: string;
  at: string;
  actor: {
    type: 'api_key' | 'user' | 'scanner_link' | 'operator' | 'system';
    id: string | null;
    name: string;
  };
  action: string;
  target: {
    type: string;
    id: string | null;
    name: string | null;
  };
  ip: string | null;
  requestId: string | null;
  changes: {
    field: string;
    old?: unknown;
    new?: unknown;
  }[];
}

/** Reply of `listAuditLog`. */
export interface ListAuditLogReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ListAuditLogItem[];
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Query of `listAuditLog`. */
export interface ListAuditLogQuery {
  pageSize?: number;
  /** Identifier of the last entry on the previous page */
  startUid?: string | number | boolean;
  /** Start of the period */
  since?: string;
  /** End of the period */
  until?: string;
  /** Action, such as `template.publish` */
  action?: string;
  /** Identifier of the actor: a user, an API key or a scanner link */
  actorId?: string | number | boolean;
}

/** Item of `listEvents`. */
export interface ListEventsItem {
  /** The `event` of a subscription */
  type: 'pass_created' | 'pass_updated' | 'pass_voided' | 'pass_unvoided' | 'pass_deleted' | 'pushnotification_registered' | 'first_pushnotification_registered' | 'pushnotification_unregistered' | 'pass_template_created' | 'pass_template_updated' | 'app_scan_created' | 'message_sent' | 'message_failed';
  summary: string;
  /** When the event is recorded */
  description: string;
  /** JSON Schema (2020-12) of its body */
  schema: {
    [name: string]: unknown;
  };
  /** Example of its body */
  example: {
    [name: string]: unknown;
  };
}

/** Reply of `listEvents`. */
export interface ListEventsReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ListEventsItem[];
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Item of `listPassesV3`. */
export interface ListPassesV3Item {
  identifier?: string;
  userProvidedId?: string | null;
  barcodeValue?: string;
  generatedId?: string;
  templateId?: string;
  passTemplateName?: string;
  downloadPage?: string;
  linkToPassPage?: string;
  passFileUri?: string;
  walletSaveUri?: string | null;
  createdOn?: string;
  modifiedOn?: string;
  /** Expiration date of the pass itself, as you sent it */
  expirationDate?: string | null;
  /** Time when the pass expires, by its own date or the rules of its template */
  effectiveExpirationDate?: string | null;
  relevantDate?: string | null;
  validAsOfDate?: string | null;
  voided?: boolean;
  redeemed?: boolean;
  storedValue?: number | null;
  bundleId?: string | null;
  groupingIdentifier?: string | null;
  barcodeAlternativeText?: string | null;
  emailRecipient?: string | null;
  phoneRecipient?: string | null;
  downloadPin?: string | null;
  /** The download is open until this time; ignored in requests */
  downloadEnabledUntil?: string | null;
  labelColor?: string | null;
  foregroundColor?: string | null;
  backgroundColor?: string | null;
  footerBackgroundColor?: string | null;
  locations?: {
    latitude: number;
    longitude: number;
    altitude?: number | null;
    maxDistance?: number | null;
    relevantText?: string | null;
    localizedRelevantText?: {
      [name: string]: string;
    } | null;
  }[];
  eligibleValidationPlaces?: string[];
  /** Time of the last usage by place; an empty array if there is none */
  placesUsedAt?: {
    [name: string]: string;
  } | never[];
  urlToThumbnail?: string | null;
  urlToBackground?: string | null;
  urlToLogo?: string | null;
  localizedBackgroundImages?: {
    [name: string]: string;
  } | null;
  /** Images that could not be imported, until they are replaced or cleared */
  importErrors?: {
    field: string;
    url: string;
    message: string;
  }[];
  numberOfActive?: number;
  numberOfInactive?: number;
  firstDownloadedAt?: string | null;
  originAirportCode?: string | null;
  destinationAirportCode?: string | null;
  localScheduledDepartureTime?: string | null;
  localBoardingDateTime?: string | null;
  passengerName?: string | null;
  carrierCode?: string | null;
  confirmationCode?: string | null;
  flightNumber?: number | string | boolean;
  originAirportGate?: string | null;
  originAirportTerminal?: string | null;
  destinationAirportGate?: string | null;
  destinationAirportTerminal?: string | null;
  localEstimatedOrActualDepartureDateTime?: string | null;
  localScheduledArrivalDateTime?: string | null;
  localEstimatedOrActualArrivalDateTime?: string | null;
  seatClass?: string | null;
  seatNumber?: string | null;
  sequenceNumber?: string | null;
  boardingGroup?: string | null;
  boardingPosition?: string | null;
  [name: string]: unknown;
}

/** Reply of `listPassesV3`. */
export interface ListPassesV3Reply {
  success: boolean;
  description: string;
  errors: string[];
  data: ListPassesV3Item[];
  statusCode: number;
  count?: number;
  responseMetaData: {
    resultsTotal: number;
    resultsThisPage: number;
  };
  page: {
    next: string | null;
  };
}

/** Query of `listPassesV3`. */
export interface ListPassesV3Query {
  query?: string;
  segmentId?: string | number | boolean;
  pageSize?: string | number;
  fields?: string;
  formatKeyAdditionalProperties?: 'id' | 'name';
  startUid?: string | number | boolean;
  startCreatedOnTimestamp?: string;
}

/** Data of `createPassV3`. */
export interface CreatePassV3Data {
  identifier: string;
  bundleId: string | null;
  downloadPage: string;
  barcodeValue: string | null;
  passFileUri: string;
  walletSaveUri: string | null;
  genericProperties: {
    [name: string]: string | boolean;
  };
}

/** Reply of `createPassV3`. */
export interface CreatePassV3Reply {
  success: boolean;
  description: string;
  errors: string[];
  data: CreatePassV3Data;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Query of `createPassV3`. */
export interface CreatePassV3Query {
  async?: boolean | 'true' | 'false';
}

/** Body of `createPassV3`. */
export interface CreatePassV3Body {
  /**
   * Send additional properties of the template together with these, by name or ID. Flight fields are for air
   * boarding passes, where eight of them are required.
   */
  data: {
    /**
     * Your ID for the pass. It also opens the download page at `/p/{accountId}/{userProvidedId}`: anyone who
     * guesses it sees the pass. Use values that nobody can guess, set a `downloadPin`, or turn these pages off in
     * the settings of the account.
     */
    userProvidedId?: string | number | boolean | null;
    enforceUniqueUserProvidedId?: boolean | null;
    barcodeValue?: string | number | boolean | null;
    barcodeAlternativeText?: string | number | boolean | null;
    groupingIdentifier?: string | number | boolean | null;
    urlToThumbnail?: string | number | boolean | null;
    urlToBackground?: string | number | boolean | null;
    urlToLogo?: string | number | boolean | null;
    localizedBackgroundImages?: {
      [name: string]: string | number | boolean | null;
    } | null;
    validAsOfDate?: string | number | boolean | null;
    expirationDate?: string | number | boolean | null;
    relevantDate?: string | number | boolean | null;
    labelColor?: unknown;
    foregroundColor?: unknown;
    backgroundColor?: unknown;
    footerBackgroundColor?: unknown;
    emailRecipient?: string | number | boolean | null;
    phoneRecipient?: string | number | boolean | null;
    locations?: {
      latitude: number | string;
      longitude: number | string;
      altitude?: number | string | null;
      maxDistance?: number | string | null;
      relevantText?: string | number | boolean | null;
      localizedRelevantText?: {
        [name: string]: string | number | boolean;
      } | null;
    }[] | null;
    storedValue?: number | string | null;
    eligibleValidationPlaces?: (string | number | boolean)[] | null;
    /**
     * PIN that the download page asks for, with 4 to 64 characters. An empty text clears it. Stored only if the
     * template allows PINs (`downloadPinEnabled`); otherwise, `description` of a v3 reply says so
     */
    downloadPin?: string | number | boolean | null;
    bundleId?: string | number | boolean | null;
    originAirportCode?: string | number | boolean;
    destinationAirportCode?: string | number | boolean;
    localScheduledDepartureTime?: string | number | boolean;
    localBoardingDateTime?: string | number | boolean;
    passengerName?: string | number | boolean;
    carrierCode?: string | number | boolean;
    confirmationCode?: string | number | boolean;
    flightNumber?: number | string;
    originAirportGate?: string | number | boolean | null;
    originAirportTerminal?: string | number | boolean | null;
    destinationAirportGate?: string | number | boolean | null;
    destinationAirportTerminal?: string | number | boolean | null;
    localEstimatedOrActualDepartureDateTime?: string | number | boolean | null;
    localScheduledArrivalDateTime?: string | number | boolean | null;
    localEstimatedOrActualArrivalDateTime?: string | number | boolean | null;
    seatClass?: string | number | boolean | null;
    seatNumber?: string | number | boolean | null;
    sequenceNumber?: string | number | boolean | null;
    boardingGroup?: string | number | boolean | null;
    boardingPosition?: string | number | boolean | null;
    /** Identifier of the template, or its userProvidedId */
    templateId: string | number | boolean;
    [name: string]: unknown;
  };
}

export type ReplacePassV3Data = CreatePassV3Data;

/** Reply of `replacePassV3`. */
export interface ReplacePassV3Reply {
  success: boolean;
  description: string;
  errors: string[];
  data: ReplacePassV3Data;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

export type ReplacePassV3Query = CreatePassV3Query;

/** Body of `replacePassV3`. */
export interface ReplacePassV3Body {
  /**
   * Send additional properties of the template together with these, by name or ID. Flight fields are for air
   * boarding passes, where eight of them are required.
   */
  data: {
    /**
     * Your ID for the pass. It also opens the download page at `/p/{accountId}/{userProvidedId}`: anyone who
     * guesses it sees the pass. Use values that nobody can guess, set a `downloadPin`, or turn these pages off in
     * the settings of the account.
     */
    userProvidedId?: string | number | boolean | null;
    enforceUniqueUserProvidedId?: boolean | null;
    barcodeValue?: string | number | boolean | null;
    barcodeAlternativeText?: string | number | boolean | null;
    groupingIdentifier?: string | number | boolean | null;
    urlToThumbnail?: string | number | boolean | null;
    urlToBackground?: string | number | boolean | null;
    urlToLogo?: string | number | boolean | null;
    localizedBackgroundImages?: {
      [name: string]: string | number | boolean | null;
    } | null;
    validAsOfDate?: string | number | boolean | null;
    expirationDate?: string | number | boolean | null;
    relevantDate?: string | number | boolean | null;
    labelColor?: unknown;
    foregroundColor?: unknown;
    backgroundColor?: unknown;
    footerBackgroundColor?: unknown;
    emailRecipient?: string | number | boolean | null;
    phoneRecipient?: string | number | boolean | null;
    locations?: {
      latitude: number | string;
      longitude: number | string;
      altitude?: number | string | null;
      maxDistance?: number | string | null;
      relevantText?: string | number | boolean | null;
      localizedRelevantText?: {
        [name: string]: string | number | boolean;
      } | null;
    }[] | null;
    storedValue?: number | string | null;
    eligibleValidationPlaces?: (string | number | boolean)[] | null;
    /**
     * PIN that the download page asks for, with 4 to 64 characters. An empty text clears it. Stored only if the
     * template allows PINs (`downloadPinEnabled`); otherwise, `description` of a v3 reply says so
     */
    downloadPin?: string | number | boolean | null;
    bundleId?: string | number | boolean | null;
    originAirportCode?: string | number | boolean;
    destinationAirportCode?: string | number | boolean;
    localScheduledDepartureTime?: string | number | boolean;
    localBoardingDateTime?: string | number | boolean;
    passengerName?: string | number | boolean;
    carrierCode?: string | number | boolean;
    confirmationCode?: string | number | boolean;
    flightNumber?: number | string;
    originAirportGate?: string | number | boolean | null;
    originAirportTerminal?: string | number | boolean | null;
    destinationAirportGate?: string | number | boolean | null;
    destinationAirportTerminal?: string | number | boolean | null;
    localEstimatedOrActualDepartureDateTime?: string | number | boolean | null;
    localScheduledArrivalDateTime?: string | number | boolean | null;
    localEstimatedOrActualArrivalDateTime?: string | number | boolean | null;
    seatClass?: string | number | boolean | null;
    seatNumber?: string | number | boolean | null;
    sequenceNumber?: string | number | boolean | null;
    boardingGroup?: string | number | boolean | null;
    boardingPosition?: string | number | boolean | null;
    /**
     * An empty value clears all usages, an array of names clears these places. The object from a reply is ignored.
     */
    placesUsedAt?: '' | null | string[] | {
      [name: string]: string;
    };
    /** Voids or restores the pass; unchanged if left out */
    voided?: boolean;
    [name: string]: unknown;
  };
}

export type UpdatePassV3Data = CreatePassV3Data;

/** Reply of `updatePassV3`. */
export interface UpdatePassV3Reply {
  success: boolean;
  description: string;
  errors: string[];
  data: UpdatePassV3Data;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

export type UpdatePassV3Query = CreatePassV3Query;

export type UpdatePassV3Body = ReplacePassV3Body;

/** Data of `readPassV3`. */
export interface ReadPassV3Data {
  identifier: string;
  userProvidedId: string | null;
  barcodeValue: string;
  generatedId: string;
  templateId: string;
  passTemplateName: string;
  downloadPage: string;
  linkToPassPage: string;
  passFileUri: string;
  walletSaveUri: string | null;
  createdOn: string;
  modifiedOn: string;
  /** Expiration date of the pass itself, as you sent it */
  expirationDate: string | null;
  /** Time when the pass expires, by its own date or the rules of its template */
  effectiveExpirationDate: string | null;
  relevantDate: string | null;
  validAsOfDate: string | null;
  voided: boolean;
  redeemed: boolean;
  storedValue: number | null;
  bundleId: string | null;
  groupingIdentifier: string | null;
  barcodeAlternativeText: string | null;
  emailRecipient: string | null;
  phoneRecipient: string | null;
  downloadPin: string | null;
  /** The download is open until this time; ignored in requests */
  downloadEnabledUntil: string | null;
  labelColor: string | null;
  foregroundColor: string | null;
  backgroundColor: string | null;
  footerBackgroundColor: string | null;
  locations: {
    latitude: number;
    longitude: number;
    altitude?: number | null;
    maxDistance?: number | null;
    relevantText?: string | null;
    localizedRelevantText?: {
      [name: string]: string;
    } | null;
  }[];
  eligibleValidationPlaces: string[];
  /** Time of the last usage by place; an empty array if there is none */
  placesUsedAt: {
    [name: string]: string;
  } | never[];
  urlToThumbnail: string | null;
  urlToBackground: string | null;
  urlToLogo: string | null;
  localizedBackgroundImages: {
    [name: string]: string;
  } | null;
  /** Images that could not be imported, until they are replaced or cleared */
  importErrors: {
    field: string;
    url: string;
    message: string;
  }[];
  numberOfActive: number;
  numberOfInactive: number;
  firstDownloadedAt: string | null;
  originAirportCode?: string | null;
  destinationAirportCode?: string | null;
  localScheduledDepartureTime?: string | null;
  localBoardingDateTime?: string | null;
  passengerName?: string | null;
  carrierCode?: string | null;
  confirmationCode?: string | null;
  flightNumber?: number | string | boolean;
  originAirportGate?: string | null;
  originAirportTerminal?: string | null;
  destinationAirportGate?: string | null;
  destinationAirportTerminal?: string | null;
  localEstimatedOrActualDepartureDateTime?: string | null;
  localScheduledArrivalDateTime?: string | null;
  localEstimatedOrActualArrivalDateTime?: string | null;
  seatClass?: string | null;
  seatNumber?: string | null;
  sequenceNumber?: string | null;
  boardingGroup?: string | null;
  boardingPosition?: string | null;
  [name: string]: unknown;
}

/** Reply of `readPassV3`. */
export interface ReadPassV3Reply {
  success: boolean;
  description: string;
  errors: string[];
  data: ReadPassV3Data;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Query of `readPassV3`. */
export interface ReadPassV3Query {
  formatKeyAdditionalProperties?: 'id' | 'name';
  appConfigurationId?: string | number | boolean;
}

export type DeletePassV3Reply = DeleteApiKeyReply;

export type RotatePassLinksV3Data = CreatePassV3Data;

/** Reply of `rotatePassLinksV3`. */
export interface RotatePassLinksV3Reply {
  success: boolean;
  description: string;
  errors: string[];
  data: RotatePassLinksV3Data;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

export type RotatePassLinksV3Query = CreatePassV3Query;

/** Item of `listPassTimeline`. */
export interface ListPassTimelineItem {
  id: string;
  at: string;
  type: 'created' | 'changed' | 'template_published' | 'device_added' | 'device_removed' | 'push_pending' | 'push_answered' | 'push_given_up' | 'device_asked' | 'file_downloaded' | 'scanned' | 'message' | 'image_failed';
  /** Who changed the pass; null for other types */
  actor: {
    type: 'api_key' | 'user' | 'scanner_link' | 'operator' | 'system';
    id: string | null;
    /** null if the key, member or link is gone */
    name: string | null;
  } | null;
  /** Changed members and additional properties, without values */
  changes: {
    field: string;
    new?: boolean;
  }[];
  /** Version of the pass: after the change, or the one that the device or Google received */
  version?: number;
  /** Version of the template, likewise */
  templateVersion?: number;
  /** Only for `changed`: whether devices are notified */
  notifies?: boolean;
  wallet?: 'apple' | 'google';
  /**
   * Identifies a device with Apple Wallet. A file request doesn’t identify its device, so `file_downloaded` has
   * none
   */
  device?: string;
  /** Only for `device_added`: whether the device still has the pass */
  active?: boolean;
  /** Only for `push_pending`: number of attempts */
  attempts?: number;
  /** Cause of the push: a change of the pass, a text to many passes, or a template version */
  cause?: 'change' | 'text' | 'template';
  /** Notified devices by the answer of Apple’s push service */
  devices?: {
    accepted: number;
    unregistered: number;
    refused: number;
    postponed: number;
  };
  /** Google’s answer */
  outcome?: 'accepted' | 'refused' | 'postponed';
  /** Why a device was refused or postponed, a scan was not accepted, or an image was not imported */
  reason?: string;
  /** Only for `file_downloaded`: whether the device already had this version */
  unchanged?: boolean;
  /** Only for `scanned`: whether the scan was undone */
  undone?: boolean;
  channel?: string;
  /** Status of the message, or HTTP status of Google’s answer */
  status?: string;
}

/** Reply of `listPassTimeline`. */
export interface ListPassTimelineReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ListPassTimelineItem[];
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Query of `listPassTimeline`. */
export interface ListPassTimelineQuery {
  pageSize?: number;
  /** Identifier of the last entry on the previous page */
  startUid?: string | number;
}

/** Data of `replacePassesV3`. */
export interface ReplacePassesV3Data {
  dryRun: true;
  /** Number of checked passes: all selected passes, up to 10,000 */
  checked: number;
  errors: {
    [name: string]: string;
  } | null;
}

/** Reply of `replacePassesV3`. */
export interface ReplacePassesV3Reply {
  success: boolean;
  description: string;
  errors: string[];
  data: ReplacePassesV3Data;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Body of `replacePassesV3`. */
export interface ReplacePassesV3Body {
  /** Fields for all selected passes; also `pushNotificationText` */
  data?: {
    [name: string]: unknown;
  };
  /** Exactly one of the three */
  filter?: {
    identifiers?: (string | number | boolean)[];
    query?: {
      [name: string]: unknown;
    };
    segmentId?: string | number | boolean;
  };
  /** Instead of `data` and `filter`: the passes, each with its own fields */
  passes?: {
    identifier: string | number | boolean;
    data: {
      [name: string]: unknown;
    };
  }[];
  /**
   * Selects and checks passes without changing them. Counts the places and values that earlier passes of the call
   * take
   */
  dryRun?: boolean;
}

export type UpdatePassesV3Data = ReplacePassesV3Data;

/** Reply of `updatePassesV3`. */
export interface UpdatePassesV3Reply {
  success: boolean;
  description: string;
  errors: string[];
  data: UpdatePassesV3Data;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

export type UpdatePassesV3Body = ReplacePassesV3Body;

export type CreatePassesV3Data = ReplacePassesV3Data;

/** Reply of `createPassesV3`. */
export interface CreatePassesV3Reply {
  success: boolean;
  description: string;
  errors: string[];
  data: CreatePassesV3Data;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Body of `createPassesV3`. */
export interface CreatePassesV3Body {
  /** Identifier of the template, or its userProvidedId */
  templateId: string | number | boolean;
  passes: {
    [name: string]: unknown;
  }[];
  /**
   * Selects and checks passes without changing them. Counts the places and values that earlier passes of the call
   * take
   */
  dryRun?: boolean;
}

export type SearchPassesItem = ListPassesV3Item;

/** Reply of `searchPasses`. */
export interface SearchPassesReply {
  success: boolean;
  description: string;
  errors: string[];
  data: SearchPassesItem[];
  statusCode: number;
  count?: number;
  responseMetaData: {
    resultsTotal: number;
    resultsThisPage: number;
  };
  page: {
    next: string | null;
  };
}

/** Body of `searchPasses`. */
export interface SearchPassesBody {
  query?: {
    [name: string]: unknown;
  } | null;
  pageSize?: number | null;
  fields?: (string | number | boolean)[] | null;
  formatKeyAdditionalProperties?: 'id' | 'name' | null;
  startUid?: string | number | boolean | null;
  startCreatedOnTimestamp?: string | null;
  title?: string | number | boolean | null;
  templateId?: string | number | boolean | null;
  projectId?: string | number | boolean | null;
  searchPhrase?: string | number | boolean | null;
  groups?: {
    field: string | number | boolean;
    operator: string | number | boolean;
    value?: (string | number | boolean)[] | string | number | boolean | null;
  }[][] | null;
  [name: string]: unknown;
}

/** Data of `erasePerson`. */
export interface ErasePersonData {
  process: string;
  processId: string;
}

/** Reply of `erasePerson`. */
export interface ErasePersonReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ErasePersonData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Body of `erasePerson`. */
export interface ErasePersonBody {
  /** Exactly one of the four */
  match: {
    userProvidedId?: string | number | boolean;
    /** Case-insensitive */
    emailRecipient?: string | number | boolean;
    phoneRecipient?: string | number | boolean;
    /** An additional property, by its identifier */
    property?: {
      id: string | number | boolean;
      value: string | number | boolean;
    };
  };
  /** Counts the data without changing it */
  dryRun?: boolean;
  /** `anonymize` keeps the passes and removes the personal data from them */
  mode?: 'delete' | 'anonymize';
}

export type ExportPersonData = ErasePersonData;

/** Reply of `exportPerson`. */
export interface ExportPersonReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ExportPersonData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Body of `exportPerson`. */
export interface ExportPersonBody {
  /** Exactly one of the four */
  match: {
    userProvidedId?: string | number | boolean;
    /** Case-insensitive */
    emailRecipient?: string | number | boolean;
    phoneRecipient?: string | number | boolean;
    /** An additional property, by its identifier */
    property?: {
      id: string | number | boolean;
      value: string | number | boolean;
    };
  };
  /** Counts the data without changing it */
  dryRun?: boolean;
}

/** Item of `listProcesses`. */
export interface ListProcessesItem {
  identifier: string;
  /** Items processed so far, including failed ones */
  current: number;
  total: number;
  createdOn: string;
  status: 'in progress' | 'finished' | 'finished with errors';
}

/** Reply of `listProcesses`. */
export interface ListProcessesReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ListProcessesItem[];
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Query of `listProcesses`. */
export interface ListProcessesQuery {
  pageSize?: number;
  /** Identifier of the last process on the previous page */
  startUid?: string | number | boolean;
}

/** Data of `readProcess`. */
export interface ReadProcessData {
  /** Items processed so far, including failed ones */
  current: number;
  total: number;
  createdOn: string;
  status: 'in progress' | 'finished' | 'finished with errors';
  /**
   * Messages by identifier, userProvidedId or array index of the failed items, or by property name; at most 10,000,
   * with 2,000,000 characters
   */
  errors: {
    [name: string]: string;
  } | null;
  /** Canceled items; not included in `total` */
  cancelled?: number;
  /**
   * Counts of what a process about a person found, exported or erased, by name. A finished export also has
   * `validUntil` and, if the key has the scope `persons:manage`, `url`, a link to the archive
   */
  result?: {
    [name: string]: number | string;
  };
}

/** Reply of `readProcess`. */
export interface ReadProcessReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ReadProcessData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

export type CancelProcessData = ReadProcessData;

/** Reply of `cancelProcess`. */
export interface CancelProcessReply {
  success: boolean;
  description: string;
  errors: string[];
  data: CancelProcessData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Reply of `watchProcess`. */
export type WatchProcessReply = Response;

export type RetryProcessData = ErasePersonData;

/** Reply of `retryProcess`. */
export interface RetryProcessReply {
  success: boolean;
  description: string;
  errors: string[];
  data: RetryProcessData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

export type ListProjectsItem = ListTemplatesItem;

/** Reply of `listProjects`. */
export interface ListProjectsReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ListProjectsItem[];
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Data of `createProject`. */
export interface CreateProjectData {
  identifier: string;
}

/** Reply of `createProject`. */
export interface CreateProjectReply {
  success: boolean;
  description: string;
  errors: string[];
  data: CreateProjectData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Body of `createProject`. */
export interface CreateProjectBody {
  name: string | number | boolean;
}

/** Item of `listSegments`. */
export interface ListSegmentsItem {
  identifier: string;
  title: string;
  query: {
    [name: string]: unknown;
  };
}

/** Reply of `listSegments`. */
export interface ListSegmentsReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ListSegmentsItem[];
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

export type CreateSegmentData = CreateProjectData;

/** Reply of `createSegment`. */
export interface CreateSegmentReply {
  success: boolean;
  description: string;
  errors: string[];
  data: CreateSegmentData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Body of `createSegment`. */
export interface CreateSegmentBody {
  title: string | number | boolean;
  query: {
    [name: string]: unknown;
  };
}

export type DeleteSegmentReply = DeleteApiKeyReply;

/** Data of `readSigningPublicKeys`. */
export interface ReadSigningPublicKeysData {
  publicKey: string;
  publicKeys: {
    keyId: string;
    publicKey: string;
  }[];
}

/** Reply of `readSigningPublicKeys`. */
export interface ReadSigningPublicKeysReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ReadSigningPublicKeysData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Item of `listWebhookPayloads`. */
export interface ListWebhookPayloadsItem {
  id: string;
  /** The subscription */
  webhookId: string;
  type: 'pass_created' | 'pass_updated' | 'pass_voided' | 'pass_unvoided' | 'pass_deleted' | 'pushnotification_registered' | 'first_pushnotification_registered' | 'pushnotification_unregistered' | 'pass_template_created' | 'pass_template_updated' | 'app_scan_created' | 'message_sent' | 'message_failed';
  /** `Y-m-d H:i:s` in UTC */
  triggeredOn: string;
  /** The body that push mode would have posted */
  payload: {
    [name: string]: unknown;
  };
}

/** Reply of `listWebhookPayloads`. */
export interface ListWebhookPayloadsReply {
  success: boolean;
  description: string;
  errors: string[];
  data: ListWebhookPayloadsItem[];
  statusCode: number;
  count?: number;
  responseMetaData: {
    resultsTotal: number;
    resultsThisPage: number;
  };
}

/** Query of `listWebhookPayloads`. */
export interface ListWebhookPayloadsQuery {
  /** Only payloads of this subscription */
  webhookId?: string | number | boolean;
  /** From 1 to 500; other values are set to the nearest limit */
  limit?: number;
  /**
   * Only payloads triggered after this time. A time without an offset is in UTC. A time without a fraction covers
   * that whole second, as shown in `triggeredOn`
   */
  since?: string;
}

/** Data of `acknowledgeWebhookPayloads`. */
export interface AcknowledgeWebhookPayloadsData {
  acknowledged: number;
}

/** Reply of `acknowledgeWebhookPayloads`. */
export interface AcknowledgeWebhookPayloadsReply {
  success: boolean;
  description: string;
  errors: string[];
  data: AcknowledgeWebhookPayloadsData;
  statusCode: number;
  count?: number;
  responseMetaData: {
    [name: string]: number;
  } | null;
}

/** Body of `acknowledgeWebhookPayloads`. */
export interface AcknowledgeWebhookPayloadsBody {
  /** The `id` of a payload */
  upTo: string;
  /** Only payloads of this subscription; absent or null: of all subscriptions */
  webhookId?: string | number | boolean | null;
}

/** Reply of `readHealth`. */
export interface ReadHealthReply {
  status: string;
}

/** Bulk operations record it once for each pass. The body shows the new pass. */
export interface PassCreatedEvent {
  /** Identifier of the pass */
  identifier: string;
  /** The same as `identifier` */
  passId: string;
  /** The pass’s `generatedId` */
  uniqueIdentifier: string;
  /** Time when the pass was created, in the account’s time zone */
  createdOn: string;
  /** Name of the template */
  passTemplate: string;
  userProvidedId: string | null;
  /** The pass’s download page */
  linkToPassPage: string;
  /** Identifier of the template */
  passTemplateGuid: string;
  /** Values of the additional properties, by name */
  genericProperties: {
    [name: string]: string | boolean;
  };
}

export type PassUpdatedEvent = PassCreatedEvent;

export type PassVoidedEvent = PassCreatedEvent;

export type PassUnvoidedEvent = PassCreatedEvent;

export type PassDeletedEvent = PassCreatedEvent;

/** Once for each device and pass, and again after the device removed the pass. */
export interface PushnotificationRegisteredEvent {
  /** Identifier of the pass */
  identifier: string;
  /** The same as `identifier` */
  passId: string;
  /** The pass’s `generatedId` */
  uniqueIdentifier: string;
  /** Time when the pass was created, in the account’s time zone */
  createdOn: string;
  /** Name of the template */
  passTemplate: string;
  userProvidedId: string | null;
  /** The pass’s download page */
  linkToPassPage: string;
  /** Identifier of the template */
  passTemplateGuid: string;
  /** Values of the additional properties, by name */
  genericProperties: {
    [name: string]: string | boolean;
  };
  /** Operating system of the device */
  operatingSystem: 'iOS' | 'Android';
  /** Devices with the pass */
  noOfActivePasses: number;
  /** Devices that removed the pass */
  noOfInactivePasses: number;
}

export type FirstPushnotificationRegisteredEvent = PushnotificationRegisteredEvent;

export type PushnotificationUnregisteredEvent = PushnotificationRegisteredEvent;

/** Also recorded when a template is copied. */
export interface PassTemplateCreatedEvent {
  /** Identifier of the template */
  uniqueIdentifier: string;
  name: string;
  /** Passes of the template on a device */
  noOfActivePasses: number;
  /** Passes of the template */
  noOfCreatedPasses: number;
}

export type PassTemplateUpdatedEvent = PassTemplateCreatedEvent;

/**
 * Also recorded for an unknown barcode (`scanStatus` 3). Members about the pass are then null or empty, and only
 * subscriptions to all templates get the event.
 */
export interface AppScanCreatedEvent {
  /** 0 accepted and voided, 1 rejected, 2 accepted (attendance recorded), 3 pass not found */
  scanStatus: number;
  /** Reason why the scan was not accepted; null if it was accepted, or if the caller sent the status */
  validityReason: 'not_found' | 'stale_code' | 'voided' | 'not_yet_valid' | 'expired' | 'wrong_place' | 'already_used' | 'limit_reached' | null;
  /** Time of the scan, in the account’s time zone */
  createdOn: string;
  /** The same time in UTC */
  createdOnUtc: string;
  passId: string | null;
  passGeneratedId: string | null;
  /** Searchable texts of the pass, separated by `|` */
  passSearchString: string | null;
  /** State after the scan; false without a pass */
  passVoided: boolean;
  passUserProvidedId: string | null;
  passTemplateGuid: string | null;
  passTemplateName: string | null;
  appConfigurationId: string;
  scannedBarcodeValue: string | null;
  appScanId: string;
  deviceName: string | null;
  /** Values that were entered with the scan, by ID of the app configuration’s property */
  additionalPropertiesScan: {
    [name: string]: string | number | boolean;
  };
  /** Values of the pass’s additional properties, by name */
  additionalPropertiesPass: {
    [name: string]: string | boolean;
  };
}

/** After the provider accepted the message. */
export interface MessageSentEvent {
  messageId: string;
  channel: 'email' | 'sms';
  /** E-mail address or phone number */
  recipient: string;
  status: string;
  /** Reason from the provider or the service */
  statusDetails: string | null;
  /** Null for a text message */
  subject: string | null;
  /** Pass that the message is about */
  passInstanceId: string | null;
  templateId: string | null;
  /** Time when the message was requested, in the account’s time zone */
  createdOn: string;
  submittedOn: string | null;
}

export type MessageFailedEvent = MessageSentEvent;

/** Input of each operation. */
export interface Inputs {
  listAppConfigurations: Record<never, never>;
  createAppConfiguration: { body: CreateAppConfigurationBody };
  readAppConfiguration: { path: { configuration: string | number } };
  updateAppConfiguration: { path: { configuration: string | number }; body: UpdateAppConfigurationBody };
  deleteAppConfiguration: { path: { configuration: string | number } };
  createAppConfigurationLink: { path: { configuration: string | number }; body?: CreateAppConfigurationLinkBody };
  deleteAppConfigurationLink: { path: { configuration: string | number; link: string | number } };
  createAppScan: { body: CreateAppScanBody };
  listAllAppScans: { query: ListAllAppScansQuery };
  listAppScans: { path: { configuration: string | number }; query?: ListAppScansQuery };
  createCustomer: { body: CreateCustomerBody };
  readSubscription: { path: { subscription: string | number } };
  deleteSubscription: { path: { subscription: string | number } };
  listDeliveries: { path: { subscription: string | number }; query?: ListDeliveriesQuery };
  resendDelivery: { path: { subscription: string | number; delivery: string | number } };
  recoverEvents: { path: { subscription: string | number }; body: RecoverEventsBody };
  resumeSubscription: { path: { subscription: string | number } };
  rotateSecret: { path: { subscription: string | number } };
  testSubscription: { path: { subscription: string | number } };
  listSubscriptions: { query?: ListSubscriptionsQuery };
  readWebhookPublicKey: Record<never, never>;
  subscribe: { query?: SubscribeQuery; body: SubscribeBody; headers?: { Prefer?: string } };
  subscribeToTemplate: { path: { template: string | number }; query?: SubscribeToTemplateQuery; body: SubscribeToTemplateBody; headers?: { Prefer?: string } };
  unsubscribe: { body: UnsubscribeBody };
  unsubscribeByDelete: { body: UnsubscribeByDeleteBody };
  createPass: { query: CreatePassQuery; body?: CreatePassBody };
  listTemplates: Record<never, never>;
  readFieldInformation: { path: { identifier: string | number }; query: ReadFieldInformationQuery };
  updateTemplate: { path: { identifier: string | number }; body: UpdateTemplateBody };
  deleteTemplate: { path: { identifier: string | number } };
  createNotification: { path: { template: string | number }; body: CreateNotificationBody };
  listNotifications: { path: { template: string | number } };
  copyTemplate: { path: { template: string | number }; body: CopyTemplateBody };
  copyTemplateToCustomer: { path: { template: string | number; customer: string | number }; body: CopyTemplateToCustomerBody };
  deleteNotification: { path: { notification: string | number } };
  readPass: { path: { id: string | number }; query?: ReadPassQuery };
  updatePass: { path: { id: string | number }; query?: UpdatePassQuery; body?: UpdatePassBody };
  voidPass: { path: { id: string | number }; body: VoidPassBody };
  deletePass: { path: { id: string | number } };
  enableDownload: { path: { id: string | number }; body?: EnableDownloadBody };
  sendPushNotification: { path: { id: string | number }; body: SendPushNotificationBody };
  deliverPass: { path: { id: string | number; recipientMail: string | number } };
  readPassLinks: { path: { id: string | number } };
  listPasses: { path: { template: string | number }; query?: ListPassesQuery };
  sendPushNotifications: { body: SendPushNotificationsBody };
  createBundle: { body: CreateBundleBody };
  addToBundle: { path: { bundleId: string | number }; body: AddToBundleBody };
  readBundle: { path: { bundleId: string | number } };
  deleteBundle: { path: { bundleId: string | number } };
  voidBundle: { path: { bundleId: string | number }; body: VoidBundleBody };
  createTemplate: { body: CreateTemplateBody };
  replaceTemplate: { path: { id: string | number }; body: ReplaceTemplateBody };
  patchTemplate: { path: { id: string | number }; body?: PatchTemplateBody };
  describeTemplate: { path: { id: string | number } };
  exportTemplate: { path: { id: string | number } };
  publishTemplate: { path: { id: string | number }; body?: PublishTemplateBody };
  importTemplate: { query?: ImportTemplateQuery; body: FileBody; headers?: { 'Content-Type'?: 'application/zip' | 'application/vnd.apple.pkpass' } };
  lintTemplate: { body?: LintTemplateBody };
  movePass: { path: { identifier: string | number; targetTemplateIdentifier: string | number } };
  listApiKeys: { query?: ListApiKeysQuery };
  createApiKey: { body: CreateApiKeyBody };
  updateApiKey: { path: { id: string | number }; body?: UpdateApiKeyBody };
  deleteApiKey: { path: { id: string | number } };
  rotateApiKey: { path: { id: string | number }; body?: RotateApiKeyBody };
  listAuditLog: { query?: ListAuditLogQuery };
  listEvents: Record<never, never>;
  listPassesV3: { query?: ListPassesV3Query };
  createPassV3: { query?: CreatePassV3Query; body: CreatePassV3Body };
  replacePassV3: { path: { id: string | number }; query?: ReplacePassV3Query; body: ReplacePassV3Body };
  updatePassV3: { path: { id: string | number }; query?: UpdatePassV3Query; body: UpdatePassV3Body };
  readPassV3: { path: { id: string | number }; query?: ReadPassV3Query };
  deletePassV3: { path: { id: string | number } };
  rotatePassLinksV3: { path: { id: string | number }; query?: RotatePassLinksV3Query };
  listPassTimeline: { path: { id: string | number }; query?: ListPassTimelineQuery };
  replacePassesV3: { body?: ReplacePassesV3Body };
  updatePassesV3: { body?: UpdatePassesV3Body };
  createPassesV3: { body: CreatePassesV3Body };
  searchPasses: { body?: SearchPassesBody };
  erasePerson: { body: ErasePersonBody };
  exportPerson: { body: ExportPersonBody };
  listProcesses: { query?: ListProcessesQuery };
  readProcess: { path: { id: string | number } };
  cancelProcess: { path: { id: string | number } };
  watchProcess: { path: { id: string | number } };
  retryProcess: { path: { id: string | number } };
  listProjects: Record<never, never>;
  createProject: { body: CreateProjectBody };
  listSegments: Record<never, never>;
  createSegment: { body: CreateSegmentBody };
  deleteSegment: { path: { id: string | number } };
  readSigningPublicKeys: Record<never, never>;
  listWebhookPayloads: { query?: ListWebhookPayloadsQuery };
  acknowledgeWebhookPayloads: { body: AcknowledgeWebhookPayloadsBody };
  readHealth: Record<never, never>;
}

/** Body of the reply of each operation. */
export interface Replies {
  listAppConfigurations: ListAppConfigurationsReply;
  createAppConfiguration: CreateAppConfigurationReply;
  readAppConfiguration: ReadAppConfigurationReply;
  updateAppConfiguration: UpdateAppConfigurationReply;
  deleteAppConfiguration: DeleteAppConfigurationReply;
  createAppConfigurationLink: CreateAppConfigurationLinkReply;
  deleteAppConfigurationLink: DeleteAppConfigurationLinkReply;
  createAppScan: CreateAppScanReply;
  listAllAppScans: ListAllAppScansReply;
  listAppScans: ListAppScansReply;
  createCustomer: CreateCustomerReply;
  readSubscription: ReadSubscriptionReply;
  deleteSubscription: DeleteSubscriptionReply;
  listDeliveries: ListDeliveriesReply;
  resendDelivery: ResendDeliveryReply;
  recoverEvents: RecoverEventsReply;
  resumeSubscription: ResumeSubscriptionReply;
  rotateSecret: RotateSecretReply;
  testSubscription: TestSubscriptionReply;
  listSubscriptions: ListSubscriptionsReply;
  readWebhookPublicKey: ReadWebhookPublicKeyReply;
  subscribe: SubscribeReply;
  subscribeToTemplate: SubscribeToTemplateReply;
  unsubscribe: UnsubscribeReply;
  unsubscribeByDelete: UnsubscribeByDeleteReply;
  createPass: CreatePassReply;
  listTemplates: ListTemplatesReply;
  readFieldInformation: ReadFieldInformationReply;
  updateTemplate: UpdateTemplateReply;
  deleteTemplate: DeleteTemplateReply;
  createNotification: CreateNotificationReply;
  listNotifications: ListNotificationsReply;
  copyTemplate: CopyTemplateReply;
  copyTemplateToCustomer: CopyTemplateToCustomerReply;
  deleteNotification: DeleteNotificationReply;
  readPass: ReadPassReply;
  updatePass: UpdatePassReply;
  voidPass: VoidPassReply;
  deletePass: DeletePassReply;
  enableDownload: EnableDownloadReply;
  sendPushNotification: SendPushNotificationReply;
  deliverPass: DeliverPassReply;
  readPassLinks: ReadPassLinksReply;
  listPasses: ListPassesReply;
  sendPushNotifications: SendPushNotificationsReply;
  createBundle: CreateBundleReply;
  addToBundle: AddToBundleReply;
  readBundle: ReadBundleReply;
  deleteBundle: DeleteBundleReply;
  voidBundle: VoidBundleReply;
  createTemplate: CreateTemplateReply;
  replaceTemplate: ReplaceTemplateReply;
  patchTemplate: PatchTemplateReply;
  describeTemplate: DescribeTemplateReply;
  exportTemplate: ExportTemplateReply;
  publishTemplate: PublishTemplateReply;
  importTemplate: ImportTemplateReply;
  lintTemplate: LintTemplateReply;
  movePass: MovePassReply;
  listApiKeys: ListApiKeysReply;
  createApiKey: CreateApiKeyReply;
  updateApiKey: UpdateApiKeyReply;
  deleteApiKey: DeleteApiKeyReply;
  rotateApiKey: RotateApiKeyReply;
  listAuditLog: ListAuditLogReply;
  listEvents: ListEventsReply;
  listPassesV3: ListPassesV3Reply;
  createPassV3: CreatePassV3Reply;
  replacePassV3: ReplacePassV3Reply;
  updatePassV3: UpdatePassV3Reply;
  readPassV3: ReadPassV3Reply;
  deletePassV3: DeletePassV3Reply;
  rotatePassLinksV3: RotatePassLinksV3Reply;
  listPassTimeline: ListPassTimelineReply;
  replacePassesV3: ReplacePassesV3Reply;
  updatePassesV3: UpdatePassesV3Reply;
  createPassesV3: CreatePassesV3Reply;
  searchPasses: SearchPassesReply;
  erasePerson: ErasePersonReply;
  exportPerson: ExportPersonReply;
  listProcesses: ListProcessesReply;
  readProcess: ReadProcessReply;
  cancelProcess: CancelProcessReply;
  watchProcess: WatchProcessReply;
  retryProcess: RetryProcessReply;
  listProjects: ListProjectsReply;
  createProject: CreateProjectReply;
  listSegments: ListSegmentsReply;
  createSegment: CreateSegmentReply;
  deleteSegment: DeleteSegmentReply;
  readSigningPublicKeys: ReadSigningPublicKeysReply;
  listWebhookPayloads: ListWebhookPayloadsReply;
  acknowledgeWebhookPayloads: AcknowledgeWebhookPayloadsReply;
  readHealth: ReadHealthReply;
}

/** A method for each operation of the contract. */
export interface Operations {
  /** List app configurations. Without the scope `scans:write`, `branchLink` and `unlockPin` are empty. */
  listAppConfigurations(input?: Inputs['listAppConfigurations'], options?: CallOptions): Pages<ListAppConfigurationsReply, ListAppConfigurationsReply[number]>;
  /**
   * Create an app configuration. Defines which passes a scanner accepts, and the effect of a scan: `scanMode` 0
   * voids the pass, 1 records attendance. Without `passTemplateId` and `passTemplateIds`, it accepts passes of all
   * templates.
   */
  createAppConfiguration(input: Inputs['createAppConfiguration'], options?: CallOptions): Promise<CreateAppConfigurationReply>;
  /** Get an app configuration. Without the scope `scans:write`, `branchLink` and `unlockPin` are empty. */
  readAppConfiguration(input: Inputs['readAppConfiguration'], options?: CallOptions): Promise<ReadAppConfigurationReply>;
  /**
   * Replace an app configuration. Fields that you leave out take their defaults. Additional properties keep their
   * `id` if you send it, or the same name and type. Links and scans stay.
   */
  updateAppConfiguration(input: Inputs['updateAppConfiguration'], options?: CallOptions): Promise<UpdateAppConfigurationReply>;
  /** Delete an app configuration, its links and its scans. Passes keep their state. */
  deleteAppConfiguration(input: Inputs['deleteAppConfiguration'], options?: CallOptions): Promise<DeleteAppConfigurationReply>;
  /**
   * Create a scanner link. `branchLink` opens the scanner app on any phone. After `validTo` (default: 30 days) it
   * requires `unlockPin`. With `canChangeConfig`, the scanner can switch to other configurations of the account.
   */
  createAppConfigurationLink(input: Inputs['createAppConfigurationLink'], options?: CallOptions): Promise<CreateAppConfigurationLinkReply>;
  /** Delete a scanner link. The link stops working at once. */
  deleteAppConfigurationLink(input: Inputs['deleteAppConfigurationLink'], options?: CallOptions): Promise<DeleteAppConfigurationLinkReply>;
  /**
   * Record a scan. Status 0: accepted, and voided by this scan; 1: rejected; 2: accepted, attendance recorded; 3:
   * not found. `validityReason` says why a scan was not accepted. If a pass is scanned several times at the same
   * moment, exactly one scan gets status 0. With `scanStatus`, the service records your decision.
   */
  createAppScan(input: Inputs['createAppScan'], options?: CallOptions): Promise<CreateAppScanReply>;
  /**
   * @deprecated List all scans of an app configuration. Use `GET /api/appscan/list/{appConfigurationId}`, which
   * returns pages.
   */
  listAllAppScans(input: Inputs['listAllAppScans'], options?: CallOptions): Pages<ListAllAppScansReply, ListAllAppScansReply[number]>;
  /**
   * List the scans of an app configuration. Ordered by scan time. Follow `query.next`, which costs the same at any
   * depth. Excludes undone scans.
   */
  listAppScans(input: Inputs['listAppScans'], options?: CallOptions): Pages<ListAppScansReply, ListAppScansReply['results'][number]>;
  /**
   * Create a sub-customer. The new account belongs to the caller’s account and uses the time zone UTC. Its API key
   * works at once and is returned only here.
   */
  createCustomer(input: Inputs['createCustomer'], options?: CallOptions): Promise<CreateCustomerReply>;
  /** Get a subscription with its counts. */
  readSubscription(input: Inputs['readSubscription'], options?: CallOptions): Promise<ReadSubscriptionReply>;
  /** Delete a subscription. Cancels pending deliveries and deletes stored payloads. Works for push and pull mode. */
  deleteSubscription(input: Inputs['deleteSubscription'], options?: CallOptions): Promise<DeleteSubscriptionReply>;
  /** List the deliveries of a subscription with their attempts. Newest first; kept for 30 days. Times are in UTC. */
  listDeliveries(input: Inputs['listDeliveries'], options?: CallOptions): Pages<ListDeliveriesReply, ListDeliveriesReply['results'][number]>;
  /** Resend an event. Uses the same `webhook-id`, whatever the result of earlier attempts. */
  resendDelivery(input: Inputs['resendDelivery'], options?: CallOptions): Promise<ResendDeliveryReply>;
  /**
   * Recover the missed events of a period. Delivers events of the period that were never delivered: after failed
   * attempts, during a pause, or from before the subscription was created. Covers at most the last 32 days. `until`
   * defaults to now.
   */
  recoverEvents(input: Inputs['recoverEvents'], options?: CallOptions): Promise<RecoverEventsReply>;
  /** Resume a paused subscription. Deliveries start again. To deliver missed events, use `recover`. */
  resumeSubscription(input: Inputs['resumeSubscription'], options?: CallOptions): Promise<ResumeSubscriptionReply>;
  /**
   * Rotate the signing secret of a subscription. For 24 hours, deliveries carry signatures of both secrets, the new
   * one first.
   */
  rotateSecret(input: Inputs['rotateSecret'], options?: CallOptions): Promise<RotateSecretReply>;
  /** Send a test event. Sends the example from GET /api/v3/events like any other event, only to this subscription. */
  testSubscription(input: Inputs['testSubscription'], options?: CallOptions): Promise<TestSubscriptionReply>;
  /** List all subscriptions. With `includeMetrics=true`, each subscription includes its options and metrics. */
  listSubscriptions(input?: Inputs['listSubscriptions'], options?: CallOptions): Pages<ListSubscriptionsReply, ListSubscriptionsReply[number]>;
  /**
   * Get the public key of `signature`. ECDSA on P-256 with SHA-256 over the UTF-8 bytes of `signedData`;
   * `signature` is hexadecimal DER. It belongs to the account’s signing key, which `sign()` uses, too. Each attempt
   * is signed with the current key.
   */
  readWebhookPublicKey(input?: Inputs['readWebhookPublicKey'], options?: CallOptions): Promise<ReadWebhookPublicKeyReply>;
  /**
   * Subscribe to an event. Updates the subscription with the same endpoint URL, event and template if there is one.
   * With the header `Prefer: return=representation`, the reply contains the subscription with its signing secret.
   * An account can have at most 500 subscriptions.
   */
  subscribe(input: Inputs['subscribe'], options?: CallOptions): Promise<SubscribeReply>;
  /**
   * Subscribe to an event of one template. Updates the subscription with the same endpoint URL, event and template
   * if there is one. With the header `Prefer: return=representation`, the reply contains the subscription with its
   * signing secret. An account can have at most 500 subscriptions.
   */
  subscribeToTemplate(input: Inputs['subscribeToTemplate'], options?: CallOptions): Promise<SubscribeToTemplateReply>;
  /**
   * Delete the subscriptions of an endpoint URL. Deletes all subscriptions with this endpoint URL and cancels their
   * pending deliveries. Send the URL exactly as you did when you subscribed.
   */
  unsubscribe(input: Inputs['unsubscribe'], options?: CallOptions): Promise<UnsubscribeReply>;
  /**
   * Delete the subscriptions of an endpoint URL (also as DELETE). Deletes all subscriptions with this endpoint URL
   * and cancels their pending deliveries. Send the URL exactly as you did when you subscribed.
   */
  unsubscribeByDelete(input: Inputs['unsubscribeByDelete'], options?: CallOptions): Promise<UnsubscribeByDeleteReply>;
  /** Create a pass. Send writable fields at top level, together with additional properties by ID or name. */
  createPass(input: Inputs['createPass'], options?: CallOptions): Promise<CreatePassReply>;
  /** List templates. */
  listTemplates(input?: Inputs['listTemplates'], options?: CallOptions): Pages<ListTemplatesReply, ListTemplatesReply[number]>;
  /** Get field information. One item per writable field of the template’s passes. */
  readFieldInformation(input: Inputs['readFieldInformation'], options?: CallOptions): Promise<ReadFieldInformationReply>;
  /**
   * @deprecated Update some fields of a template. Use `PATCH /api/v2/pass-template/{id}`, which can change every
   * aspect of a template. Fields that you leave out stay. Existing passes change when the template is published.
   */
  updateTemplate(input: Inputs['updateTemplate'], options?: CallOptions): Promise<UpdateTemplateReply>;
  /**
   * Delete a template and all of its passes. Template and passes are unavailable once the reply arrives. Passes are
   * deleted in the background, each with its event `pass_deleted`. You can’t undo this.
   */
  deleteTemplate(input: Inputs['deleteTemplate'], options?: CallOptions): Promise<DeleteTemplateReply>;
  /**
   * Schedule a push to all passes of a template. Devices show at least one line of 85 characters. A past date is
   * sent within a minute. A template can have at most 1000 scheduled notifications.
   */
  createNotification(input: Inputs['createNotification'], options?: CallOptions): Promise<CreateNotificationReply>;
  /**
   * List past and due notifications of a template. Ordered by publication, at most 1000 of each kind. Dates are in
   * the account’s time zone. An entry without text is the publication of a new version. Executed notifications are
   * deleted after 400 days.
   */
  listNotifications(input: Inputs['listNotifications'], options?: CallOptions): Promise<ListNotificationsReply>;
  /**
   * Copy a template. Fields that you leave out come from the newest definition of the original. Additional
   * properties keep their identifiers, so integrations work with the copy. The copy counts as published. With
   * `useDefaultImages`, `warnings` names a logo or icon of the account that cannot be fetched.
   */
  copyTemplate(input: Inputs['copyTemplate'], options?: CallOptions): Promise<CopyTemplateReply>;
  /**
   * Copy a template to a sub-customer. Fields that you leave out come from the newest definition of the original.
   * Additional properties keep their identifiers, so integrations work with the copy. The copy counts as published.
   * With `useDefaultImages`, `warnings` names a logo or icon of the account that cannot be fetched.
   */
  copyTemplateToCustomer(input: Inputs['copyTemplateToCustomer'], options?: CallOptions): Promise<CopyTemplateToCustomerReply>;
  /**
   * Delete a scheduled notification. Returns 400 for an executed notification, and 401 for a template that the
   * account cannot access.
   */
  deleteNotification(input: Inputs['deleteNotification'], options?: CallOptions): Promise<DeleteNotificationReply>;
  /**
   * Get a pass. The path names the pass by identifier, userProvidedId, barcode value or generatedId, in this order.
   * With `appConfigurationId`, a pass that is not valid at the configuration’s place, or was used there, shows as
   * voided and redeemed.
   */
  readPass(input: Inputs['readPass'], options?: CallOptions): Promise<ReadPassReply>;
  /**
   * Update a pass. Changes only the fields that you send; null clears a field. `voided` voids or restores the pass.
   */
  updatePass(input: Inputs['updatePass'], options?: CallOptions): Promise<UpdatePassReply>;
  /** Void or restore a pass. */
  voidPass(input: Inputs['voidPass'], options?: CallOptions): Promise<VoidPassReply>;
  /** Delete a pass. */
  deletePass(input: Inputs['deletePass'], options?: CallOptions): Promise<DeletePassReply>;
  /**
   * Open the download of a pass. For templates that block the download while a pass is active. Default: ten minutes
   * from now.
   */
  enableDownload(input: Inputs['enableDownload'], options?: CallOptions): Promise<EnableDownloadReply>;
  /**
   * Send a push notification to a pass. The text can contain placeholders. Devices show at least one line of 85
   * characters. The pass must be on at least one device.
   */
  sendPushNotification(input: Inputs['sendPushNotification'], options?: CallOptions): Promise<SendPushNotificationReply>;
  /**
   * Send a pass by e-mail. Uses the ad hoc e-mail template of the pass template. `messageId` names the message in
   * the events `message_sent` and `message_failed`.
   */
  deliverPass(input: Inputs['deliverPass'], options?: CallOptions): Promise<DeliverPassReply>;
  /** Get the wallet links of a pass. */
  readPassLinks(input: Inputs['readPassLinks'], options?: CallOptions): Promise<ReadPassLinksReply>;
  /** List the passes of a template. Oldest first. Follow `query.next`, which costs the same at any depth. */
  listPasses(input: Inputs['listPasses'], options?: CallOptions): Pages<ListPassesReply, ListPassesReply['results'][number]>;
  /**
   * Send a push notification to many passes. Up to 500 passes, each by identifier, userProvidedId, barcode value or
   * generatedId. Sent in the background. Unknown names and inactive passes are skipped. Placeholders are filled for
   * each pass.
   */
  sendPushNotifications(input: Inputs['sendPushNotifications'], options?: CallOptions): Promise<SendPushNotificationsReply>;
  /**
   * Create a bundle with a random identifier. Passes are named by identifier, userProvidedId, barcode value or
   * generatedId. A pass can be in only one bundle, so it leaves its previous one.
   */
  createBundle(input: Inputs['createBundle'], options?: CallOptions): Promise<CreateBundleReply>;
  /**
   * Create a bundle with your identifier. Adds passes to the bundle, and creates it if needed. Passes are named by
   * identifier, userProvidedId, barcode value or generatedId. A pass can be in only one bundle, so it leaves its
   * previous one. A key with `templateIds` gets a 404 for a bundle with a pass of another template.
   */
  addToBundle(input: Inputs['addToBundle'], options?: CallOptions): Promise<AddToBundleReply>;
  /** Get a bundle. */
  readBundle(input: Inputs['readBundle'], options?: CallOptions): Promise<ReadBundleReply>;
  /** Delete a bundle. */
  deleteBundle(input: Inputs['deleteBundle'], options?: CallOptions): Promise<DeleteBundleReply>;
  /** Void or restore all passes of a bundle. */
  voidBundle(input: Inputs['voidBundle'], options?: CallOptions): Promise<VoidBundleReply>;
  /**
   * Create a template. Takes a complete definition. Images are URLs or base64; they are fetched, checked and stored
   * before the reply. `warnings` names a logo or icon of the account that cannot be fetched. An account can have at
   * most 10,000 templates. A definition can have at most 250,000 characters, without its e-mails.
   */
  createTemplate(input: Inputs['createTemplate'], options?: CallOptions): Promise<CreateTemplateReply>;
  /**
   * Replace a definition. Takes a complete definition. Fields that you leave out take their defaults. A property
   * without `id` keeps the identifier of the one with its name. New passes use the change at once, existing passes
   * after the publication. A property that becomes `unique` needs different values in all passes.
   */
  replaceTemplate(input: Inputs['replaceTemplate'], options?: CallOptions): Promise<ReplaceTemplateReply>;
  /**
   * Change parts of a definition. Changes only the members that you send; null clears a member. Address items of
   * `fields` by their `index` in the list, and `additionalProperties` by `id`. New items are added. Other lists are
   * replaced as a whole. The result must be a valid definition.
   */
  patchTemplate(input: Inputs['patchTemplate'], options?: CallOptions): Promise<PatchTemplateReply>;
  /**
   * Get a definition. The reply’s `data` can be sent back to create another template, or to replace this one.
   * Images are URLs of this service.
   */
  describeTemplate(input: Inputs['describeTemplate'], options?: CallOptions): Promise<DescribeTemplateReply>;
  /**
   * Export a template. Returns the newest definition as the ZIP of a `.pkpasstemplate` folder: pass.json with its
   * placeholders, images, translations, and a file with the complete definition, which `importTemplate` accepts in
   * any account. Excludes the project, pass type, external ID and tiers of the template.
   */
  exportTemplate(input: Inputs['exportTemplate'], options?: CallOptions): Promise<ExportTemplateReply>;
  /**
   * Publish the newest definition. Updates existing passes, at once or at a date. A date schedules the current
   * definition; publishing again moves the schedule. The template’s notifications list it as an entry without a
   * text.
   */
  publishTemplate(input: Inputs['publishTemplate'], options?: CallOptions): Promise<PublishTemplateReply>;
  /**
   * Import a template. Takes the ZIP of a `.pkpasstemplate` folder, or the design and texts of a `.pkpass` from any
   * issuer. Leaves out identifiers, tokens, NFC and data about the holder of an example pass. An export from this
   * service restores the complete definition. The archive can have at most 10 MiB.
   */
  importTemplate(input: Inputs['importTemplate'], options?: CallOptions): Promise<ImportTemplateReply>;
  /**
   * Check a definition. Returns the errors of a definition, and the parts that wallets truncate, omit or show
   * differently. Stores nothing. Returns 200 even if the definition cannot be saved. An `error` prevents saving, or
   * a wallet refuses the pass.
   */
  lintTemplate(input?: Inputs['lintTemplate'], options?: CallOptions): Promise<LintTemplateReply>;
  /**
   * Move a pass to another template of its project. Both templates must be in the same project and use the same
   * signing certificate. Values are matched by property name.
   */
  movePass(input: Inputs['movePass'], options?: CallOptions): Promise<MovePassReply>;
  /** List API keys. Newest first. A key with `templateIds` sees only keys that are restricted to these templates. */
  listApiKeys(input?: Inputs['listApiKeys'], options?: CallOptions): Pages<ListApiKeysReply, ListApiKeysReply['data'][number]>;
  /**
   * Create an API key. The key can have only scopes, templates and addresses that your own key has, and it can’t
   * expire later. Without `scopes` it has all scopes. An account can have at most 1,000 API keys.
   */
  createApiKey(input: Inputs['createApiKey'], options?: CallOptions): Promise<CreateApiKeyReply>;
  /**
   * Update an API key. Applies from the next request on. Null removes a restriction. The key can have only scopes,
   * templates and addresses that your own key has, and it can’t expire later.
   */
  updateApiKey(input: Inputs['updateApiKey'], options?: CallOptions): Promise<UpdateApiKeyReply>;
  /** Delete an API key. The key is rejected from the next request on. */
  deleteApiKey(input: Inputs['deleteApiKey'], options?: CallOptions): Promise<DeleteApiKeyReply>;
  /**
   * Rotate an API key. Returns a new value. The previous value works for another `overlapMinutes`; with 0 it stops
   * working at once. If you rotate again in the meantime, only the two newest values work.
   */
  rotateApiKey(input: Inputs['rotateApiKey'], options?: CallOptions): Promise<RotateApiKeyReply>;
  /**
   * List the audit log. Newest first. The log covers 400 days. It holds sign-ins, exports, views of personal data
   * in the console, and every write except scans and writes to single passes. A change names its field. It has old
   * and new values only if they are neither personal nor secret.
   */
  listAuditLog(input?: Inputs['listAuditLog'], options?: CallOptions): Pages<ListAuditLogReply, ListAuditLogReply['data'][number]>;
  /** List events. The event catalog: description, JSON Schema of the body, and an example of each event. */
  listEvents(input?: Inputs['listEvents'], options?: CallOptions): Pages<ListEventsReply, ListEventsReply['data'][number]>;
  /**
   * List passes. `query` is a Query as JSON in base64url or base64; `segmentId` names a stored one. Newest first;
   * follow `page.next`, which costs the same at any depth. `fields` limits the members of a row: names, separated
   * by commas. An unknown name returns 400.
   */
  listPassesV3(input?: Inputs['listPassesV3'], options?: CallOptions): Pages<ListPassesV3Reply, ListPassesV3Reply['data'][number]>;
  /**
   * Create a pass. With `async=true` (default), the pass is stored when you get the reply, but the reply leaves out
   * a generated barcode value. The values of a pass can have at most 65,536 characters together.
   */
  createPassV3(input: Inputs['createPassV3'], options?: CallOptions): Promise<CreatePassV3Reply>;
  /** Replace a pass. Clears writable fields that you leave out, except barcode value and bundle. */
  replacePassV3(input: Inputs['replacePassV3'], options?: CallOptions): Promise<ReplacePassV3Reply>;
  /** Update a pass. Changes only the fields that you send; null clears a field. */
  updatePassV3(input: Inputs['updatePassV3'], options?: CallOptions): Promise<UpdatePassV3Reply>;
  /** Get a pass. */
  readPassV3(input: Inputs['readPassV3'], options?: CallOptions): Promise<ReadPassV3Reply>;
  /** Delete a pass. */
  deletePassV3(input: Inputs['deletePassV3'], options?: CallOptions): Promise<DeletePassV3Reply>;
  /**
   * Rotate the links of a pass. Replaces the secrets in the links of the download page and the pass file. The old
   * links return 404 at once. Wallets keep the pass, and get a new version if the pass shows `{downloadPage}`. The
   * link of a bundle does not change: to replace it, move its passes to a bundle with another `bundleId`.
   */
  rotatePassLinksV3(input: Inputs['rotatePassLinksV3'], options?: CallOptions): Promise<RotatePassLinksV3Reply>;
  /**
   * List the timeline of a pass. Newest first. Shows why a device has not updated: what changed and who changed it,
   * how many devices were notified, what the push services replied, when a device asked for changes, and which
   * version it received.
   */
  listPassTimeline(input: Inputs['listPassTimeline'], options?: CallOptions): Pages<ListPassTimelineReply, ListPassTimelineReply['data'][number]>;
  /**
   * Replace many passes. Clears writable fields that you leave out, except barcode value and bundle. A background
   * process updates each pass exactly once.
   */
  replacePassesV3(input?: Inputs['replacePassesV3'], options?: CallOptions): Promise<ReplacePassesV3Reply>;
  /**
   * Update many passes. Changes only the fields that you send; null clears a field. A background process updates
   * each pass exactly once.
   */
  updatePassesV3(input?: Inputs['updatePassesV3'], options?: CallOptions): Promise<UpdatePassesV3Reply>;
  /**
   * Create many passes. A background process creates the passes. Its errors name a pass by userProvidedId, or by
   * its index in `passes`.
   */
  createPassesV3(input: Inputs['createPassesV3'], options?: CallOptions): Promise<CreatePassesV3Reply>;
  /**
   * Search passes. Conditions of one group combine with AND, groups with OR, values of an array with OR. The body
   * can also be the Query itself. Newest first; `page.next` is the URL of the next page, for a GET. `searchPhrase`
   * searches every text, number and date as rows show it; `*` matches any characters.
   */
  searchPasses(input?: Inputs['searchPasses'], options?: CallOptions): Pages<SearchPassesReply, SearchPassesReply['data'][number]>;
  /**
   * Erase the data of a person. A background process deletes the passes of the person, or anonymizes them, and
   * erases all other data that the service has about them. Its `result` has the counts. You can’t undo this.
   */
  erasePerson(input: Inputs['erasePerson'], options?: CallOptions): Promise<ErasePersonReply>;
  /**
   * Export the data of a person. A background process collects the passes of the person with their scans, messages,
   * events and images. When it finishes, its `result.url` is a link to a ZIP archive, valid for 24 hours.
   */
  exportPerson(input: Inputs['exportPerson'], options?: CallOptions): Promise<ExportPersonReply>;
  /**
   * List processes. Newest first. The counts of a running process can be a few seconds old. Processes are deleted
   * 90 days after they end.
   */
  listProcesses(input?: Inputs['listProcesses'], options?: CallOptions): Pages<ListProcessesReply, ListProcessesReply['data'][number]>;
  /** Get a process. */
  readProcess(input: Inputs['readProcess'], options?: CallOptions): Promise<ReadProcessReply>;
  /**
   * Cancel a process. Items in progress finish; the others stay unchanged. `description` says whether there were
   * any. An export or erasure of a person also needs the scope `persons:manage`.
   */
  cancelProcess(input: Inputs['cancelProcess'], options?: CallOptions): Promise<CancelProcessReply>;
  /**
   * Follow a process. Sends server-sent events of type `process` with the process as data: at once, after each
   * change, and when the process ends. Then the stream ends. At most 20 connections can follow a process at a time.
   */
  watchProcess(input: Inputs['watchProcess'], options?: CallOptions): Promise<WatchProcessReply>;
  /** Retry the failed items of a process. An export or erasure of a person also needs the scope `persons:manage`. */
  retryProcess(input: Inputs['retryProcess'], options?: CallOptions): Promise<RetryProcessReply>;
  /** List projects. */
  listProjects(input?: Inputs['listProjects'], options?: CallOptions): Pages<ListProjectsReply, ListProjectsReply['data'][number]>;
  /** Create a project. Passes can move between the templates of one project. */
  createProject(input: Inputs['createProject'], options?: CallOptions): Promise<CreateProjectReply>;
  /** List segments. */
  listSegments(input?: Inputs['listSegments'], options?: CallOptions): Pages<ListSegmentsReply, ListSegmentsReply['data'][number]>;
  /**
   * Create a segment. A segment is a stored query. The pass list and bulk operations run it again each time they
   * use its `segmentId`. An account can have at most 1,000 segments, with 2,000,000 characters in all.
   */
  createSegment(input: Inputs['createSegment'], options?: CallOptions): Promise<CreateSegmentReply>;
  /** Delete a segment. Its passes stay. */
  deleteSegment(input: Inputs['deleteSegment'], options?: CallOptions): Promise<DeleteSegmentReply>;
  /**
   * Get the public keys of sign(). `publicKey` verifies new signatures: ECDSA on P-256 with SHA-256 over the UTF-8
   * bytes of the text, the signature as hexadecimal DER. After a rotation, use an earlier key of `publicKeys` to
   * verify older signatures. The list starts with the current key and continues from the newest to the oldest.
   */
  readSigningPublicKeys(input?: Inputs['readSigningPublicKeys'], options?: CallOptions): Promise<ReadSigningPublicKeysReply>;
  /**
   * List stored payloads of pull subscriptions. Returns unacknowledged payloads, oldest first. Process them,
   * acknowledge the last one, and list again. Payloads that arrive in the meantime are not skipped. A page with
   * 8,000,000 characters ends before `limit`. Payloads are kept for 30 days.
   */
  listWebhookPayloads(input?: Inputs['listWebhookPayloads'], options?: CallOptions): Pages<ListWebhookPayloadsReply, ListWebhookPayloadsReply['data'][number]>;
  /**
   * Acknowledge stored payloads. Acknowledges the payload that `upTo` names and all payloads before it, in the
   * order of the list. Covers all subscriptions of the account, or the one in `webhookId`. Acknowledged payloads
   * are not listed again, and are deleted about 24 hours later. Repeating the request acknowledges nothing.
   */
  acknowledgeWebhookPayloads(input: Inputs['acknowledgeWebhookPayloads'], options?: CallOptions): Promise<AcknowledgeWebhookPayloadsReply>;
  /** Check the service’s health. */
  readHealth(input?: Inputs['readHealth'], options?: CallOptions): Promise<ReadHealthReply>;
}

/** Bodies of events, by type. */
export interface EventBodies {
  /** A pass was created */
  pass_created: PassCreatedEvent;
  /** A pass was changed */
  pass_updated: PassUpdatedEvent;
  /** A pass was voided */
  pass_voided: PassVoidedEvent;
  /** A pass was restored */
  pass_unvoided: PassUnvoidedEvent;
  /** A pass was deleted */
  pass_deleted: PassDeletedEvent;
  /** A device added a pass */
  pushnotification_registered: PushnotificationRegisteredEvent;
  /** The first device added a pass */
  first_pushnotification_registered: FirstPushnotificationRegisteredEvent;
  /** A device removed a pass */
  pushnotification_unregistered: PushnotificationUnregisteredEvent;
  /** A template was created */
  pass_template_created: PassTemplateCreatedEvent;
  /** A template was changed */
  pass_template_updated: PassTemplateUpdatedEvent;
  /** A pass was scanned */
  app_scan_created: AppScanCreatedEvent;
  /** An e-mail or text message was sent */
  message_sent: MessageSentEvent;
  /** An e-mail or text message could not be sent */
  message_failed: MessageFailedEvent;
}
