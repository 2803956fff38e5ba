/** Finding of a wallet's rules about a definition. */
export interface Finding {
  /** Member, as in errors: `fields.headerFields.3`; empty: the whole definition. */
  path: string;
  wallet: 'apple' | 'google' | 'both';
  /** `error`: can't be saved, or a wallet refuses the pass. `warning`: a part is left out or hidden. */
  severity: 'error' | 'warning' | 'hint';
  /** Consequence, then the fix. */
  message: string;
  /** URL or name of the document with the rule. */
  source: string;
}

/** Adds a finding. */
export type Note = (severity: Finding['severity'], path: string, message: string, source: string) => void;
