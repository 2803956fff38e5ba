import { ROW_BYTES_MAX } from '../../platform/db.ts';
import { invalidField } from '../errors.ts';
import { DEFINITION_CHARS_MAX } from '../limits.ts';
import type { StoredDefinition } from './definition.ts';

/** Bytes of a row for the other columns. */
const OTHER_BYTES = 1_000;

/**
 * Checks the size of a definition to store. One that was already too large may keep its size. Throws `invalid` with the
 * largest member.
 */
export function checkSize(definition: StoredDefinition, before?: StoredDefinition): void {
  const chars = charsOf(definition);
  if (chars > DEFINITION_CHARS_MAX && !(before && chars <= charsOf(before))) {
    const sizes = Object.entries(withoutMails(definition)).map(([name, value]) => [name, charsIn(value)] as const);
    const [largest] = sizes.reduce((most, one) => (one[1] > most[1] ? one : most));
    const limit = `at most ${DEFINITION_CHARS_MAX} characters, without its e-mails`;
    throw invalidField(largest, `the definition must have ${limit}`);
  }
  const bytesMax = ROW_BYTES_MAX - OTHER_BYTES;
  if (new TextEncoder().encode(JSON.stringify(definition)).length > bytesMax)
    throw invalidField('sendoutOptions', `the definition must have at most ${bytesMax} bytes, with its e-mails`);
}

const charsIn = (value: unknown): number => JSON.stringify(value ?? null).length;

const charsOf = (definition: StoredDefinition): number => charsIn(withoutMails(definition));

function withoutMails({ sendoutOptions, ...rest }: StoredDefinition) {
  const { passCreationNotification: _, adHoc: __, ...others } = sendoutOptions;
  return { ...rest, sendoutOptions: others };
}
