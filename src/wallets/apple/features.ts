import type { Card } from '../../domain/passes/card/card.ts';
import {
  APPLE_MEMBER_NAMES,
  APPLE_MEMBERS,
  type AppleMemberName,
  type MemberStyle,
} from '../../domain/templates/apple/members.ts';
import { fieldList, posterLists, withOwnKeys } from './fields.ts';

/** Keys that other code writes (`relevance` in pass-json.ts). */
const SEPARATE_MEMBERS = new Set<AppleMemberName>(['relevantDates', 'beacons', 'maxDistance']);

const STRIPS = new Set<Card['type']>(['coupon', 'storeCard', 'eventTicket']);

/**
 * Returns the template's Apple keys that have an effect on this card; `schemes` are those of its file. An app launch
 * URL works only together with store identifiers (Apple, Wallet Passes).
 */
export function featureKeys(card: Card, schemes: string[] | undefined): Record<string, unknown> {
  const { apple } = card;
  if (!apple) return {};
  const isPosterEvent = schemes?.[0] === 'posterEventTicket';
  const isBoarding = card.type === 'boardingPass';
  const holds: Record<MemberStyle, boolean> = {
    any: true,
    posterEvent: isPosterEvent,
    posterEventOrBoarding: isPosterEvent || isBoarding,
    poster: isPosterEvent || hasPosterGeneric(card),
    boarding: isBoarding,
    strip: STRIPS.has(card.type),
  };
  const { members } = apple;
  const keys = APPLE_MEMBER_NAMES.filter((name) => {
    if (SEPARATE_MEMBERS.has(name) || !holds[APPLE_MEMBERS[name].style]) return false;
    return name !== 'appLaunchURL' || members.associatedStoreIdentifiers !== undefined;
  });
  return {
    ...Object.fromEntries(keys.map((name) => [name, members[name]])),
    upcomingPassInformation: isPosterEvent ? upcomingEvents(card) : undefined,
    posterGeneric: hasPosterGeneric(card) ? posterLists(card) : undefined,
  };
}

/**
 * Returns whether the file has the poster of iOS 27 in addition to its style. The poster replaces every other layout
 * there, so a boarding pass keeps its own. A poster needs artwork.
 */
export function hasPosterGeneric({ apple, type, images }: Card): boolean {
  return apple?.posterGeneric !== undefined && type !== 'boardingPass' && images.artwork !== undefined;
}

function upcomingEvents({ apple, type }: Card): object[] | undefined {
  if (!apple || apple.upcoming.length === 0) return undefined;
  return apple.upcoming.map(({ members, additionalInfoFields, backFields }) => {
    const taken = new Set<string>();
    return {
      ...members,
      additionalInfoFields: fieldList(withOwnKeys(additionalInfoFields, taken), 'additionalInfoFields', type),
      backFields: fieldList(withOwnKeys(backFields, taken), 'backFields', type),
    };
  });
}
