/** Passes a bundle holds at most (specification, "Limits"); also Apple's limit of a `.pkpasses` file. */
export const BUNDLE_PASSES_MAX = 10;
