import { checkSync } from 'recheck';
import { Visitor } from 'vite';
import { describe, expect, test } from 'vitest';
import { isTypeScript, parse, readFiles } from './support/source-file.ts';

/* A text that somebody sends is read once: no regular expression takes more than linear time, whatever it is given. */

interface Found {
  place: string;
  pattern: string;
  flags: string;
}

const found: Found[] = readFiles('src')
  .filter(isTypeScript)
  .flatMap((file) => {
    const { path, program, lineAt } = parse(file);
    const here: Found[] = [];
    new Visitor({
      Literal(node) {
        if ('regex' in node) here.push({ place: `${path}:${lineAt(node.start)}`, ...node.regex });
      },
    }).visit(program);
    return here;
  });

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

const known = new Map<string, ReturnType<typeof checkSync>>();

/** Many expressions stand in several places; each is searched once. */
function checkOnce(pattern: string, flags: string): ReturnType<typeof checkSync> {
  const key = `/${pattern}/${flags}`;
  const result = known.get(key) ?? checkSync(pattern, flags, LIMITS);
  known.set(key, result);
  return result;
}

describe('regular expressions', () => {
  test('are found', () => expect(found.length).toBeGreaterThan(150));

  test.each(found)('$place /$pattern/$flags reads a text once', { timeout: 120_000 }, ({ pattern, flags }) => {
    expect(checkOnce(pattern, flags)).toMatchObject({ status: 'safe' });
  });

  test('that take quadratic time are noticed', () => {
    expect(checkSync('\\.+$', '', LIMITS).status).toBe('vulnerable');
    expect(checkSync('(?:mailto:)?[\\w.+-]+@[\\w-]+', 'gi', LIMITS).status).toBe('vulnerable');
  });
});
