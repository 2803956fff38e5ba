import * as z from 'zod';
import { parseDateTime } from '../../../platform/dates.ts';
import { PassText } from '../../fields.ts';
import { FieldItem } from '../field-lists.ts';
import { type Refuse, refuseIn, refuseRepeats } from '../refuse.ts';
import { flag, identifier, optional } from './kinds.ts';
import {
  APPLE_MEMBER_NAMES,
  APPLE_MEMBERS,
  type AppleMemberName,
  DATE_INFORMATION,
  UPCOMING_GUIDE,
  UPCOMING_IMAGES,
  UPCOMING_STORE_IDENTIFIERS,
} from './members.ts';
import { STYLE_SCHEMES } from './schemes.ts';
import { Semantics } from './semantics.ts';

/* The member `apple` of a definition: features of Apple Wallet under Apple's own names. */

const FIELDS_MAX = 100;
const UPCOMING_MAX = 50;
/** The API contract describes fields once, under `fields`. */
const fieldList = z
  .array(z.looseObject({}))
  .max(FIELDS_MAX)
  .describe('Items as in `fields.headerFields`')
  .pipe(z.array(FieldItem))
  .nullish();

const PosterGeneric = z.object({
  headerFields: fieldList,
  primaryFields: fieldList,
  footerFields: fieldList,
  backFields: fieldList,
  additionalInfoFields: fieldList,
});

/** Event of a ticket for several events (Apple, `UpcomingPassInformationEntry`). */
const UpcomingEvent = z.object({
  identifier: identifier.schema,
  name: PassText.pipe(z.string().min(1, 'must not be empty')),
  type: z.literal('event').nullish(),
  dateInformation: optional(DATE_INFORMATION.schema),
  isActive: optional(flag.schema),
  semantics: Semantics.nullish(),
  URLs: optional(UPCOMING_GUIDE.schema),
  images: optional(UPCOMING_IMAGES.schema),
  additionalInfoFields: fieldList,
  backFields: fieldList,
  auxiliaryStoreIdentifiers: optional(UPCOMING_STORE_IDENTIFIERS.schema),
});
export type UpcomingEvent = z.infer<typeof UpcomingEvent>;

const members = Object.fromEntries(
  APPLE_MEMBER_NAMES.map((name) => [name, optional(APPLE_MEMBERS[name].kind.schema)]),
) as Record<AppleMemberName, z.ZodOptional<z.ZodType<unknown>>>;

/** Features of Apple Wallet. All are optional; only sent members are stored. */
export const AppleFeatures = z
  .object({
    preferredStyleSchemes: z.array(z.enum(STYLE_SCHEMES)).max(STYLE_SCHEMES.length).nullish(),
    posterGeneric: PosterGeneric.nullish(),
    additionalInfoFields: fieldList,
    upcomingPassInformation: z.array(UpcomingEvent).max(UPCOMING_MAX).nullish(),
    semantics: Semantics.nullish(),
    ...members,
  })
  .superRefine((apple, check) => {
    const refuse = refuseIn(check);
    refuseWrongDates(apple.relevantDates, refuse);
    const actions = apple.featuredActions as { identifier: string }[] | null | undefined;
    refuseRepeats(actions, ['featuredActions'], 'identifier', refuse);
    const events = apple.upcomingPassInformation as { identifier: string }[] | null | undefined;
    refuseRepeats(events, ['upcomingPassInformation'], 'identifier', refuse);
  })
  .describe('Features of Apple Wallet, with Apple’s own field names');
export type AppleFeatures = z.infer<typeof AppleFeatures>;

type RelevantDate = Partial<Record<'date' | 'relevantDate' | 'startDate' | 'endDate', string | null>>;

/** Maximum length of an interval, in milliseconds (Apple, Pass.RelevantDates). */
const INTERVAL_MAX_MS = 24 * 60 * 60_000;

function refuseWrongDates(dates: unknown, refuse: Refuse): void {
  for (const [i, { date, relevantDate, startDate, endDate }] of ((dates ?? []) as RelevantDate[]).entries()) {
    const path = ['relevantDates', i];
    const isMoment = Boolean(date ?? relevantDate);
    if (isMoment === Boolean(startDate ?? endDate)) refuse(path, 'must have either date, or startDate and endDate');
    else if (!isMoment && !startDate) refuse([...path, 'startDate'], 'is required');
    else if (!isMoment && !endDate) refuse([...path, 'endDate'], 'is required');
    const [start, end] = [startDate, endDate].map(millisOf);
    if (start === undefined || end === undefined) continue;
    if (end <= start) refuse([...path, 'endDate'], 'must be later than startDate');
    if (end - start > INTERVAL_MAX_MS) refuse([...path, 'endDate'], 'must be at most 24 hours after startDate');
  }
}

/** Returns milliseconds; undefined for a date with a placeholder. Local times ignore daylight saving time. */
function millisOf(text: string | null | undefined): number | undefined {
  if (!text) return undefined;
  return parseDateTime(text, 'UTC') ?? (Number.isNaN(Date.parse(text)) ? undefined : Date.parse(text));
}
