/** Finding of a wallet's rules about a definition. */
export interface Finding {
  /** Member, as in errors: `fields.headerFields.3`; empty: the whole definition. */
  path: string;
  wallet: 'apple' | 'google' | 'both';
  /** `error`: the definition is refused; `warning`: something is left out or not shown; `hint`: worth knowing. */
  severity: 'error' | 'warning' | 'hint';
  /** Consequence, then the fix. */
  message: string;
  /** URL or name of the document with the rule. */
  source: string;
}

/** Adds a finding. */
export type Note = (severity: Finding['severity'], path: string, message: string, source: string) => void;
