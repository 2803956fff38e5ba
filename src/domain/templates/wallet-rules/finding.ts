/** A finding of a wallet's rules about a definition. */
export interface Finding {
  /** The member it is about, as in errors: `fields.headerFields.3`; empty: the definition as a whole. */
  path: string;
  wallet: 'apple' | 'google' | 'both';
  /** `error`: it is refused; `warning`: something is left out or not shown; `hint`: worth knowing. */
  severity: 'error' | 'warning' | 'hint';
  /** The consequence, then how to fix it. */
  message: string;
  /** URL or name of the document that says so. */
  source: string;
}

/** Notes a finding. */
export type Note = (severity: Finding['severity'], path: string, message: string, source: string) => void;
