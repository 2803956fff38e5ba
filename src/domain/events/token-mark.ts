/** Stands in a stored text where the token of a pass's page belongs; no text that a caller sends is shown with it. */
export const TOKEN_MARK = '\u0002';
