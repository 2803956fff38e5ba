/* New layouts of Apple Wallet, apart from the schema of a definition. */

export const STYLE_SCHEMES = ['posterEventTicket', 'eventTicket', 'semanticBoardingPass', 'boardingPass'] as const;
/** Schemes that replace the layout of a style, and are asked for by name. */
export type NewScheme = 'posterEventTicket' | 'semanticBoardingPass';

/** Fields of the poster of iOS 27; a list that is absent is that of the template. */
export const POSTER_LISTS = [
  'headerFields',
  'primaryFields',
  'footerFields',
  'backFields',
  'additionalInfoFields',
] as const;
export type PosterList = (typeof POSTER_LISTS)[number];

type StyleScheme = (typeof STYLE_SCHEMES)[number];

/** What asks for new layouts in a definition. */
interface Asking {
  preferredStyleScheme?: NewScheme | null;
  apple?: { preferredStyleSchemes?: StyleScheme[] | null } | null;
}

/** The new layout that a definition asks for, in either of its two members. */
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

/** The passes that each layout is for. */
export const SCHEME_TYPES: Record<StyleScheme, { isFor: (kind: Kind) => boolean; words: string }> = {
  posterEventTicket: { isFor: isEventTicket, words: 'event tickets' },
  eventTicket: { isFor: isEventTicket, words: 'event tickets' },
  semanticBoardingPass: {
    isFor: ({ type, transitType }) => type === 'boardingPass' && transitType === 'PKTransitTypeAir',
    words: 'air boarding passes',
  },
  boardingPass: { isFor: ({ type }) => type === 'boardingPass', words: 'boarding passes' },
};

/** The schemes that a definition asks for, with the places where it does. */
export function schemesAsked({ preferredStyleScheme, apple }: Asking) {
  const asked: [path: (string | number)[], scheme: StyleScheme][] = [];
  if (preferredStyleScheme) asked.push([['preferredStyleScheme'], preferredStyleScheme]);
  for (const [i, scheme] of (apple?.preferredStyleSchemes ?? []).entries())
    asked.push([['apple', 'preferredStyleSchemes', i], scheme]);
  return asked;
}
