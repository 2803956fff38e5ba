import type { TemplateDefinition } from '../definition.ts';
import type { GoogleKind } from '../google/kind.ts';
import type { GoogleMembers } from '../google/members.ts';
import type { Finding } from './finding.ts';

/** A definition as it was sent, or as it is stored; only stored images say their size. */
export type LintedDefinition = Omit<TemplateDefinition, 'images' | 'google' | 'additionalProperties'> & {
  images: object;
  google?: GoogleMembers<unknown> | null;
};

/** The input of a rule. */
export interface Linted {
  definition: LintedDefinition;
  google: GoogleMembers<unknown>;
  kind: GoogleKind;
}

export type GoogleFinding = Omit<Finding, 'wallet'>;

/** The reference of a type of Google's REST API. */
export const reference = (type: string) => `https://developers.google.com/wallet/reference/rest/v1/${type}`;
