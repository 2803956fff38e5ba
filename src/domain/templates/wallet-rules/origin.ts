import { own } from '../../../platform/json.ts';
import { APPLE_MEMBERS } from '../apple/members.ts';
import { SOURCES } from '../apple/sources.ts';
import { type Finding, reference } from './finding.ts';

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
