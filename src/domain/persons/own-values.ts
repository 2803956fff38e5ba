import type { AccountContext } from '../context.ts';
import { fold } from '../passes/search-index/search-terms.ts';
import { isInOtherPasses, matchedValue, type PersonMatch } from '../search/persons.ts';

/**
 * Which texts tell of one person alone: the one by which the person is named, and those that no pass of anybody else
 * has. A search for each text, once.
 */
export class OwnValues {
  #ctx: AccountContext;
  #match: PersonMatch;
  #known = new Map<string, Promise<boolean>>();

  constructor(ctx: AccountContext, match: PersonMatch) {
    this.#ctx = ctx;
    this.#match = match;
    this.#known.set(fold(matchedValue(match)), Promise.resolve(true));
  }

  /** Whether a text is the person's alone. */
  isOwn(text: string): Promise<boolean> {
    const folded = fold(text);
    const known = this.#known.get(folded) ?? isInOtherPasses(this.#ctx, text, this.#match).then((others) => !others);
    this.#known.set(folded, known);
    return known;
  }

  /** Those of the texts that are. */
  async ownOf(texts: string[]): Promise<string[]> {
    const own: string[] = [];
    for (const text of texts) if (await this.isOwn(text)) own.push(text);
    return own;
  }
}
