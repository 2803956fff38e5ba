import { Visitor } from 'vite';
import { describe, expect, test } from 'vitest';
import { checkExpression } from './support/regular-expression-check.ts';
import { isTypeScript, parse, readFiles } from './support/source-file.ts';

/* Input is scanned once: no regular expression takes more than linear time, whatever its input. */

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

describe('regular expressions', () => {
  test('are found', () => expect(found.length).toBeGreaterThan(150));

  test.each(found)('$place /$pattern/$flags takes linear time', ({ pattern, flags }) => {
    expect(checkExpression(pattern, flags)).toMatchObject({ status: 'safe' });
  });

  test('that take quadratic time are noticed', () => {
    expect(checkExpression('\\.+$', '').status).toBe('vulnerable');
    expect(checkExpression('(?:mailto:)?[\\w.+-]+@[\\w-]+', 'gi').status).toBe('vulnerable');
  });
});
