import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { checkSync } from 'recheck';
import { ROOT } from '../../scripts/settings.ts';

/*
 * Whether a regular expression reads a text once. What the search finds depends on nothing but the expression, the
 * limits and the version of the library, so it is kept for further runs until one of them changes.
 */

const KEPT = join(ROOT, '.wrangler', 'test-states', 'regular-expressions');
const VERSION: string = createRequire(import.meta.url)('recheck/package.json').version;

/**
 * Steps are counted on texts that are made to be as bad as can be, by the same chance in each run; the time only ends a
 * search that finds none. Without these limits in time a busy machine would see faults that are none.
 */
const LIMITS = {
  timeout: 100_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  randomSeed: 1,
};

/** Whether an expression is safe; if it is not, with what the search has found. */
export function checkExpression(pattern: string, flags: string): Pick<ReturnType<typeof checkSync>, 'status'> {
  const question = JSON.stringify([VERSION, LIMITS, pattern, flags]);
  const kept = join(KEPT, createHash('sha256').update(question).digest('hex'));
  if (existsSync(kept)) return { status: 'safe' };
  const found = checkSync(pattern, flags, LIMITS);
  if (found.status === 'safe') {
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(kept, '');
  }
  return found;
}
