import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { checkSync } from 'recheck';
import { ROOT } from '../../scripts/settings.ts';

/*
 * Checks whether a regular expression takes linear time. The result depends only on the expression, the limits and the
 * library's version, so it is cached until one of them changes.
 */

const KEPT = join(ROOT, '.wrangler', 'test-states', 'regular-expressions');
const VERSION: string = createRequire(import.meta.url)('recheck/package.json').version;

/**
 * Steps are counted on worst-case texts, from the same random sequence in each run; the timeout only ends a search
 * without results. Without these limits, a busy machine would report false positives.
 */
const LIMITS = {
  timeout: 100_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  randomSeed: 1,
};

/** Returns whether an expression is safe, and otherwise what the search found. */
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
