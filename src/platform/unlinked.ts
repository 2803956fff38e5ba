import { headerText } from './mime.ts';

/** Inside addresses: the colon after a scheme, `@`, the dots of domain names (UTS 46), and the `\\` of file servers. */
const JOINTS = /:(?=\/)|(?<=\p{L}):(?=\S)|[@.\uff20\u3002\uff0e\uff61\\](?=\S)/gu;

/**
 * Returns a text that somebody chose, as a single line for a mail in which it must not become a link. Mail clients link
 * everything that looks like an address, even in plain text. So an invisible space breaks each address.
 */
export function unlinked(text: string): string {
  return headerText(text).replace(JOINTS, '$&\u200b');
}
