import { describe, expect, test } from 'vitest';
import { failureText } from '../../src/mcp/call-tool.ts';
import { TOOLS } from '../../src/mcp/tools/index.ts';

/* Error texts for models, for failures that are hard to cause from outside. */

const tool = TOOLS.find(({ name }) => name === 'update_pass')!;
const text = (status: number, message: string, retryAfter?: string) =>
  failureText({ tool, status, message, retryAfter });

describe('a failure', () => {
  test.each<[number, string, string | undefined, RegExp]>([
    [
      409,
      'The pass is being changed',
      undefined,
      /^The pass is being changed\. Next step: Call update_pass again in a/,
    ],
    [
      413,
      'The request body is larger than 1048576 bytes',
      undefined,
      /Correct the named arguments, then call update_pass/,
    ],
    [422, 'The key was used for another request', undefined, /Correct the named arguments/],
    [429, 'quota exceeded: requests', '17', /Wait 17 seconds, then call update_pass again\.$/],
    [429, 'Too many requests', undefined, /Wait 60 seconds/],
    [500, 'Internal server error (request 1)', undefined, /^Internal server error \(request 1\)\. .*tell the user\.$/],
    [503, 'The account is being moved', '2', /Call update_pass again in 2 seconds\./],
    [403, 'missing scope: passes:write', undefined, /API key with the scope passes:write;/],
    [403, 'address not allowed', undefined, /allow this address/],
    [403, 'something else', undefined, /an API key that may do this/],
    [404, 'Object not found', undefined, /Call search_passes/],
  ])('of status %i (%s, %s) names the next step', (status, message, retryAfter, says) => {
    expect(text(status, message, retryAfter)).toMatch(says);
  });

  test('ends with the available choices', () => {
    expect(failureText({ tool, status: 404, message: 'x' }, 'Use a or b.')).toMatch(/^x\. Next step: .* Use a or b\.$/);
  });
});
