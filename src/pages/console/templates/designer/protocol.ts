/** The server's reply to the designer's island: parts of the page as HTML, and the errors of the form. */
export interface DesignerAnswer {
  /** The drawn pass. */
  picture: string;
  /** The controls that choose it, as they may have changed with the definition. */
  choices: string;
  /** The rule with its colors. */
  css: string;
  /** Messages by the name of the control. */
  faults: Record<string, string>;
  /** Findings of the wallets' rules, by the name of the control. */
  notes: Record<string, string>;
  /** Messages that belong to no control. */
  others: string[];
  /** Number of messages by part. */
  counts: Record<string, number>;
  /** A part whose controls have changed. */
  part?: { name: string; html: string };
  /** The text beside the save button. */
  state?: string;
  /** A sentence about the change of a list. */
  said?: string;
  /** The version that was saved. */
  saved?: number;
  /** Somebody else has saved meanwhile. */
  conflict: boolean;
}

/** The answer to an image that was sent: its address in the store, or why it was refused. */
export interface ImageAnswer {
  url?: string;
  message?: string;
}

/** The controls of the preview whose choice stands in the address of the page, with what they say at first. */
export const FIRST_LOOK: Readonly<Record<string, string>> = {
  look: 'apple',
  face: 'front',
  scheme: 'light',
  state: 'ok',
  language: '',
};
