/** Placeholder for the token of a pass page in a stored text. No caller's text is shown with this character. */
export const TOKEN_MARK = '\u0002';
