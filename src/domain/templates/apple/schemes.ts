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

/** The new layout that a definition asks for, in either of its two members. */
export function schemeOf({
  preferredStyleScheme,
  apple,
}: {
  preferredStyleScheme?: NewScheme | null;
  apple?: { preferredStyleSchemes?: (typeof STYLE_SCHEMES)[number][] | null } | null;
}): NewScheme | undefined {
  const asked = apple?.preferredStyleSchemes?.find(
    (scheme): scheme is NewScheme => scheme === 'posterEventTicket' || scheme === 'semanticBoardingPass',
  );
  return asked ?? preferredStyleScheme ?? undefined;
}
