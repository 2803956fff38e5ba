/** The server's reply to the designer's island: parts of the page as HTML, and the errors of the form. */
export interface DesignerAnswer {
  /** The drawn pass. */
  picture: string;
  /** The controls of the preview, whose choices depend on the definition. */
  choices: string;
  /** The CSS rule with the card's colors. */
  css: string;
  /** Messages by control name. */
  faults: Record<string, string>;
  /** Messages about members of a single wallet, as HTML with its name and the source. */
  errors: Record<string, string>;
  /** Lists of the wallets' findings; empty while the definition is invalid. */
  findings: string;
  /** Messages without a control. */
  others: string[];
  /** Number of messages by part. */
  counts: Record<string, number>;
  /** A part with changed controls. */
  part?: { name: string; html: string };
  /** The text beside the save button. */
  state?: string;
  /** Announcement of a list change. */
  said?: string;
  /** The saved version. */
  saved?: number;
  /** Someone else saved a version in the meantime. */
  conflict: boolean;
}

/** Parts whose controls depend on other parts. They are drawn again when their tab is opened. */
export const DEPENDENT_PARTS: ReadonlySet<string> = new Set(['fields', 'languages']);

/** The reply to an image upload: its address in the store, or the reason for its rejection. */
export interface ImageAnswer {
  url?: string;
  message?: string;
}

/** Controls of the preview whose values are kept in the page's address, with their defaults. */
export const FIRST_LOOK: Readonly<Record<string, string>> = {
  look: 'apple',
  face: 'front',
  scheme: 'light',
  state: 'ok',
  language: '',
};
