/** Finding of a wallet's rules about a definition. */
export interface Finding {
  /** Member, as in errors: `fields.headerFields.3`; empty: the whole definition. */
  path: string;
  wallet: 'apple' | 'google' | 'both';
  /** `error`: prevents saving; `warning`: a wallet leaves out, hides or refuses something; `hint`: worth knowing. */
  severity: 'error' | 'warning' | 'hint';
  /** Consequence, then the fix. */
  message: string;
  /** URL or name of the document with the rule. */
  source: string;
}

/** Severity of a wallet's rule. Only the schema has errors, because a definition that breaks it can't be saved. */
export type RuleSeverity = Exclude<Finding['severity'], 'error'>;

/** Adds a finding. */
export type Note = (severity: RuleSeverity, path: string, message: string, source: string) => void;
