import type { TemplateDefinition } from '../definition.ts';
import type { GoogleKind } from '../google/kind.ts';
import type { GoogleMembers } from '../google/members.ts';
import type { ImageSizes } from './image-sizes.ts';

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

/** Definition as sent or stored. */
export type LintedDefinition = Omit<TemplateDefinition, 'images' | 'google' | 'additionalProperties'> & {
  images: object;
  google?: GoogleMembers<unknown> | null;
};

/** Input of a rule. */
export interface Linted {
  definition: LintedDefinition;
  google: GoogleMembers<unknown>;
  kind: GoogleKind;
  sizes: ImageSizes;
}

/** Returns the reference page of a type in Google's REST API. */
export const reference = (type: string) => `https://developers.google.com/wallet/reference/rest/v1/${type}`;
