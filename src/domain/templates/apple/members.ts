import {
  anyLink,
  email,
  flag,
  identifier,
  json,
  type Kind,
  link,
  listOf,
  moment,
  numberFrom,
  objectOf,
  oneOf,
  phone,
  sha256,
  text,
  timeZone,
  uuid,
  webLink,
  wholeUpTo,
} from './kinds.ts';
import type { SOURCES } from './sources.ts';

/*
 * Apple's keys that a definition passes on: their kinds, the passes on which they take effect, and their first iOS
 * version. Source: Apple, Wallet Passes, Pass (descriptions of its properties), unless a row names another page.
 */

/** Passes on which a key takes effect. Other files don't contain it. */
export type MemberStyle = 'any' | 'posterEvent' | 'posterEventOrBoarding' | 'poster' | 'boarding' | 'strip';

export interface AppleMember {
  kind: Kind;
  style: MemberStyle;
  /** First version of iOS that supports it. */
  since: number;
  /** Page that documents it. */
  source: keyof typeof SOURCES;
}

const STORE_IDENTIFIERS_MAX = 20;
const storeIdentifiers = listOf(wholeUpTo(Number.MAX_SAFE_INTEGER), STORE_IDENTIFIERS_MAX);

/** Links and contacts of the event guide, on poster event tickets and on each upcoming event. */
export const EVENT_GUIDE = {
  accessibilityURL: webLink,
  addOnURL: webLink,
  bagPolicyURL: webLink,
  contactVenueEmail: email,
  contactVenuePhoneNumber: phone,
  contactVenueWebsite: webLink,
  directionsInformationURL: webLink,
  merchandiseURL: webLink,
  orderFoodURL: webLink,
  parkingInformationURL: webLink,
  purchaseParkingURL: webLink,
  sellURL: webLink,
  transferURL: webLink,
  transitInformationURL: webLink,
} as const satisfies Record<string, Kind>;

const BOARDING_LINKS = {
  businessChatIdentifier: identifier,
  changeSeatURL: webLink,
  entertainmentURL: webLink,
  managementURL: webLink,
  purchaseAdditionalBaggageURL: webLink,
  purchaseLoungeAccessURL: webLink,
  purchaseWifiURL: webLink,
  registerServiceAnimalURL: webLink,
  reportLostBagURL: webLink,
  requestWheelchairURL: webLink,
  trackBagsURL: webLink,
  transitProviderEmail: email,
  transitProviderPhoneNumber: phone,
  transitProviderWebsiteURL: webLink,
  upgradeURL: webLink,
} as const satisfies Record<string, Kind>;

/** Types of featured actions. Apple provides their labels. */
export const ACTION_TYPES = [
  'viewSchedule',
  'watchTrailer',
  'listenToMusic',
  'call',
  'place',
  'addToBalance',
  'order',
  'shop',
  'membershipBenefits',
  'bookAppointment',
  'bookCar',
  'bookFlight',
  'bookStay',
  'viewOffersRewards',
] as const;
export const FEATURED_ACTIONS_MAX = 2;

const featuredActions = listOf(
  // A place is identified by its MapKit Place ID, other types by a URL.
  objectOf(
    { identifier, type: oneOf(ACTION_TYPES), url: anyLink, placeIdentifier: identifier },
    ['identifier', 'type'],
    ({ url, placeIdentifier }) => url !== undefined || placeIdentifier !== undefined,
  ),
  FEATURED_ACTIONS_MAX,
);

/** Maximum number of beacons and of locations that Wallet uses. The first ones are sent. */
export const PLACES_MAX = 10;
const BEACONS_SENT_MAX = 100;
const UINT16_MAX = 65_535;

const beacons = listOf(
  objectOf({ proximityUUID: uuid, major: wholeUpTo(UINT16_MAX), minor: wholeUpTo(UINT16_MAX), relevantText: text }, [
    'proximityUUID',
  ]),
  BEACONS_SENT_MAX,
);

const RELEVANT_DATES_MAX = 50;
/** Length of the longest interval, 24 hours (Apple, Pass.RelevantDates), on a day on which clocks go back. */
const INTERVAL_MAX_MS = 25 * 60 * 60_000;

/** Returns whether a filled date is a moment or a whole interval. */
function isMomentOrInterval({ date, relevantDate, startDate, endDate }: Record<string, unknown>): boolean {
  if (date !== undefined || relevantDate !== undefined) return true;
  const length = Date.parse(String(endDate)) - Date.parse(String(startDate));
  return length > 0 && length <= INTERVAL_MAX_MS;
}

const relevantDates = listOf(
  objectOf({ date: moment, relevantDate: moment, startDate: moment, endDate: moment }, [], isMomentOrInterval),
  RELEVANT_DATES_MAX,
);

/** Earth's circumference in meters: no distance is longer. */
const DISTANCE_MAX = 40_075_017;

function row(kind: Kind, style: MemberStyle, since: number, source: AppleMember['source'] = 'pass'): AppleMember {
  return { kind, style, since, source };
}

function rows<K extends string>(
  kinds: Record<K, Kind>,
  style: MemberStyle,
  since: number,
  source?: AppleMember['source'],
) {
  const members = (Object.entries(kinds) as [K, Kind][]).map(([name, kind]) => [name, row(kind, style, since, source)]);
  return Object.fromEntries(members) as Record<K, AppleMember>;
}

/** By name, in the order of pass.json. Members with their own fields or tags are in `features.ts`. */
export const APPLE_MEMBERS = {
  featuredActions: row(featuredActions, 'any', 27, 'actions'),
  relevantDates: row(relevantDates, 'any', 18, 'relevantDates'),
  beacons: row(beacons, 'any', 7, 'beacons'),
  maxDistance: row(numberFrom(0, DISTANCE_MAX), 'any', 7),
  ...rows(EVENT_GUIDE, 'posterEvent', 18),
  // Also for meals on board.
  orderFoodURL: row(webLink, 'posterEventOrBoarding', 18, 'boarding'),
  ...rows(BOARDING_LINKS, 'boarding', 26, 'boarding'),
  eventLogoText: row(text, 'posterEvent', 18),
  useAutomaticColors: row(flag, 'posterEvent', 18),
  suppressHeaderDarkening: row(flag, 'poster', 18),
  suppressStripShine: row(flag, 'strip', 6),
  appLaunchURL: row(anyLink, 'any', 6),
  associatedStoreIdentifiers: row(storeIdentifiers, 'any', 6),
  auxiliaryStoreIdentifiers: row(storeIdentifiers, 'posterEvent', 18),
  userInfo: row(json, 'any', 6),
} satisfies Record<string, AppleMember>;
export type AppleMemberName = keyof typeof APPLE_MEMBERS;
export const APPLE_MEMBER_NAMES = Object.keys(APPLE_MEMBERS) as AppleMemberName[];

/** Date and time of an upcoming event (`UpcomingPassInformationEntryType.DateInformation`). */
export const DATE_INFORMATION = objectOf({
  date: moment,
  timeZone,
  ignoreTimeComponents: flag,
  isAllDay: flag,
  isUnannounced: flag,
  isUndetermined: flag,
});

/** Maximum size in bytes of an image that devices download for an upcoming event. */
const REMOTE_IMAGE_BYTES_MAX = 2 * 1024 * 1024;
const remoteImage = objectOf({
  URLs: listOf(
    objectOf(
      {
        URL: link(/^https$/, 'https://example.com/map.png'),
        SHA256: sha256,
        scale: wholeUpTo(3),
        size: wholeUpTo(REMOTE_IMAGE_BYTES_MAX),
      },
      ['URL', 'SHA256'],
    ),
    3,
  ),
  reuseExisting: flag,
});

/** Images that devices download themselves (`UpcomingPassInformationEntryType.Images`). */
export const UPCOMING_IMAGES = objectOf({ headerImage: remoteImage, venueMap: remoteImage });

export const UPCOMING_STORE_IDENTIFIERS = storeIdentifiers;
export const UPCOMING_GUIDE = objectOf(EVENT_GUIDE);
