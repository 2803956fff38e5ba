/* New layouts of Apple Wallet, separate from the schema of a definition. */

export const STYLE_SCHEMES = ['posterEventTicket', 'eventTicket', 'semanticBoardingPass', 'boardingPass'] as const;
/** Schemes that replace the layout of a style. A definition requests them by name. */
export type NewScheme = 'posterEventTicket' | 'semanticBoardingPass';

/** Fields of the iOS 27 poster. An absent list is the same as the template's. */
export const POSTER_LISTS = [
  'headerFields',
  'primaryFields',
  'footerFields',
  'backFields',
  'additionalInfoFields',
] as const;
export type PosterList = (typeof POSTER_LISTS)[number];

type StyleScheme = (typeof STYLE_SCHEMES)[number];

/** Members of a definition that request new layouts. */
interface Asking {
  preferredStyleScheme?: NewScheme | null;
  apple?: { preferredStyleSchemes?: StyleScheme[] | null } | null;
}

/** Returns the new layout that a definition requests, in either of two members. */
export function schemeOf({ preferredStyleScheme, apple }: Asking): NewScheme | undefined {
  const asked = apple?.preferredStyleSchemes?.find(
    (scheme): scheme is NewScheme => scheme === 'posterEventTicket' || scheme === 'semanticBoardingPass',
  );
  return asked ?? preferredStyleScheme ?? undefined;
}

interface Kind {
  type: string;
  transitType?: string | null;
}

const isEventTicket = ({ type }: Kind) => type.startsWith('eventTicket');

/** Pass types that each layout is for. */
export const SCHEME_TYPES: Record<StyleScheme, { isFor: (kind: Kind) => boolean; words: string }> = {
  posterEventTicket: { isFor: isEventTicket, words: 'event tickets' },
  eventTicket: { isFor: isEventTicket, words: 'event tickets' },
  semanticBoardingPass: {
    isFor: ({ type, transitType }) => type === 'boardingPass' && transitType === 'PKTransitTypeAir',
    words: 'air boarding passes',
  },
  boardingPass: { isFor: ({ type }) => type === 'boardingPass', words: 'boarding passes' },
};

/** Returns the schemes that a definition requests, with their paths. */
export function schemesAsked({ preferredStyleScheme, apple }: Asking) {
  const asked: [path: (string | number)[], scheme: StyleScheme][] = [];
  if (preferredStyleScheme) asked.push([['preferredStyleScheme'], preferredStyleScheme]);
  for (const [i, scheme] of (apple?.preferredStyleSchemes ?? []).entries())
    asked.push([['apple', 'preferredStyleSchemes', i], scheme]);
  return asked;
}
