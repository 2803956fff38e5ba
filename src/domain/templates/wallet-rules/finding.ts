import { own } from '../../../platform/json.ts';
import { APPLE_MEMBERS } from '../apple/members.ts';
import { SOURCES } from '../apple/sources.ts';
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

/** Document that contains the schema of a definition. */
const CONTRACT = 'OpenAPI document of this service, createTemplate';

const PAGES: Record<string, string> = {
  posterGeneric: SOURCES.posterGeneric,
  additionalInfoFields: SOURCES.fields,
  upcomingPassInformation: SOURCES.upcoming,
  semantics: SOURCES.semanticTags,
};

/** Returns the wallet whose member is wrong, and the page that documents the member. Other members are ours. */
export function originOf(path: string): Pick<Finding, 'wallet' | 'source'> {
  const [first, name = '', ...rest] = path.split('.');
  if (first === 'google') return { wallet: 'google', source: reference('') };
  if (first === 'nfc') return { wallet: 'apple', source: SOURCES.nfc };
  if (first === 'preferredStyleScheme') return { wallet: 'apple', source: SOURCES.pass };
  if (first === 'fields' && rest[1] === 'semantics') return { wallet: 'apple', source: SOURCES.semanticTags };
  if (first !== 'apple') return { wallet: 'both', source: CONTRACT };
  const member = own(APPLE_MEMBERS, name);
  return { wallet: 'apple', source: own(PAGES, name) ?? SOURCES[member?.source ?? 'pass'] };
}
