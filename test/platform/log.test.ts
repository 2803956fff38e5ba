import { DrizzleQueryError } from 'drizzle-orm/errors';
import { describe, expect, it } from 'vitest';
import { describeError } from '../../src/platform/log.ts';

describe('what a log says of an error', () => {
  it('is its name, message and stack', () => {
    expect(describeError(new TypeError('no way'))).toMatch(/^TypeError: no way\n +at /);
  });

  it('goes on with its cause', () => {
    const error = new Error('outer', { cause: new RangeError('inner', { cause: 'the root' }) });
    expect(describeError(error)).toMatch(
      /^Error: outer\n(.*\n)*caused by RangeError: inner\n(.*\n)*caused by the root$/,
    );
  });

  it('leaves the operands of a statement out, and says what the database said', () => {
    const error = new DrizzleQueryError('select ?, ?', ['PIN 4711', '$&'], new Error('D1_ERROR: too many terms'));
    const words = describeError(error);
    expect(words).toContain('Failed query: select ?, ?');
    expect(words).toContain('caused by Error: D1_ERROR: too many terms');
    expect(words).not.toMatch(/4711|\$&|params/);
  });

  it('is the value itself when that is no error', () => {
    expect(describeError('gone')).toBe('gone');
  });
});
