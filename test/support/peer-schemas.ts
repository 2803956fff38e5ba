import { createRequire } from 'node:module';
import { join } from 'node:path';

/* The schemas of an independent generator: passkit-generator (MIT). */

interface Issue {
  type: string;
  path: (string | number)[];
  message: string;
}
interface Schema {
  validate(value: unknown, options: { abortEarly: boolean }): { error?: { details: Issue[] } };
}

const require = createRequire(import.meta.url);
// The package only exports its generator.
const schemas = join(require.resolve('passkit-generator'), '../schemas/index.js');
const { PassProps } = require(schemas) as { PassProps: Schema };

/** Keys from Apple's documentation or PassBuilder that the generator lacks. */
const UNKNOWN_TO_PEER = new Set([
  'barcode',
  'businessChatIdentifier',
  'trackBagsURL',
  'semantics.departureAirportTimeZone',
  'semantics.destinationAirportTimeZone',
]);

/** Returns what the generator rejects in a pass.json, except keys that only Apple knows. */
export function peerFaults(pass: unknown): { path: string; message: string }[] {
  const { error } = PassProps.validate(pass, { abortEarly: false });
  return (error?.details ?? []).flatMap(({ path, type, message }) => {
    const isUnknown = type === 'object.unknown' || type === 'any.unknown';
    return isUnknown && UNKNOWN_TO_PEER.has(path.join('.')) ? [] : { path: path.join('.'), message };
  });
}
