import type { AccountContext } from '../context.ts';
import { fold } from '../passes/search-index/search-terms.ts';
import { isInOtherPasses, matchedValue, type PersonMatch } from '../search/persons.ts';

/**
 * Texts that belong to one person alone: the value that the person is matched by, and those that no pass of anybody
 * else has. Searches for each text once.
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

  /** Whether a text belongs to the person alone. */
  isOwn(text: string): Promise<boolean> {
    const folded = fold(text);
    const known = this.#known.get(folded) ?? isInOtherPasses(this.#ctx, text, this.#match).then((others) => !others);
    this.#known.set(folded, known);
    return known;
  }

  /** Returns the texts that belong to the person alone. */
  async ownOf(texts: string[]): Promise<string[]> {
    const own: string[] = [];
    for (const text of texts) if (await this.isOwn(text)) own.push(text);
    return own;
  }
}
