import type { TemplateDefinition } from '../definition.ts';
import type { GoogleKind } from '../google/kind.ts';
import type { GoogleMembers } from '../google/members.ts';
import type { Finding } from './finding.ts';
import type { ImageSizes } from './image-sizes.ts';

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

export type GoogleFinding = Omit<Finding, 'wallet'>;

/** Returns the reference page of a type in Google's REST API. */
export const reference = (type: string) => `https://developers.google.com/wallet/reference/rest/v1/${type}`;
