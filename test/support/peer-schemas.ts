import { createRequire } from 'node:module';
import { join } from 'node:path';

/* The schemas of a generator that nobody here wrote: passkit-generator (MIT). */

interface Issue {
  type: string;
  path: (string | number)[];
  message: string;
}
interface Schema {
  validate(value: unknown, options: { abortEarly: boolean }): { error?: { details: Issue[] } };
}

const require = createRequire(import.meta.url);
// The package exports its generator alone.
const schemas = join(require.resolve('passkit-generator'), '../schemas/index.js');
const { PassProps } = require(schemas) as { PassProps: Schema };

/** Keys of Apple's documentation or PassBuilder that the generator does not have. */
const UNKNOWN_TO_PEER = new Set([
  'barcode',
  'businessChatIdentifier',
  'trackBagsURL',
  'semantics.departureAirportTimeZone',
  'semantics.destinationAirportTimeZone',
]);

/** What the generator refuses in a pass.json, but for keys that it doesn't know and Apple does. */
export function peerFaults(pass: unknown): { path: string; message: string }[] {
  const { error } = PassProps.validate(pass, { abortEarly: false });
  return (error?.details ?? []).flatMap(({ path, type, message }) => {
    const isUnknown = type === 'object.unknown' || type === 'any.unknown';
    return isUnknown && UNKNOWN_TO_PEER.has(path.join('.')) ? [] : { path: path.join('.'), message };
  });
}
