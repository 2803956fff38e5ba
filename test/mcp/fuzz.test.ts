import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TOOLS } from '../../src/mcp/tools/index.ts';
import { type Reply, send } from '../support/api.ts';
import { type FuzzAccount, fuzzAccount, SharedFuzzAccounts } from '../support/fuzz-account.ts';
import { oddText, oddValue, toJson } from '../support/fuzz-values.ts';
import { randomRuns } from '../support/random-runs.ts';

/* Unexpected arguments and messages; `send` throws for a 500. */

const CALLS = 25;
const LIMIT_MILLIS = 10_000;

/** Returns arguments of a tool, some valid, others unknown to it. */
function oddArguments(names: string[], { passes, templates }: FuzzAccount): fc.Arbitrary<Record<string, unknown>> {
  const good = fc.constantFrom(...passes, ...templates);
  const value = fc.oneof(good, oddText, oddValue);
  const own = Object.fromEntries(names.map((name) => [name, value]));
  return fc
    .tuple(fc.record(own, { requiredKeys: [] }), fc.dictionary(oddText, oddValue, { maxKeys: 1 }))
    .map((parts) => ({
      ...parts[0],
      ...(parts[1] as Record<string, unknown>),
    }));
}

function expectGoodManners({ status, body }: Reply): void {
  expect([200, 400, 413]).toContain(status);
  expect(body.jsonrpc).toBe('2.0');
  const { isError, content, structuredContent } = body.result ?? {};
  if (body.error) expect(body.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
  else if (isError) expect(content[0].text).toMatch(/Next step: [A-Z]/);
  else expect(JSON.parse(content[0].text)).toEqual(structuredContent);
}

/** Tools delete nothing, so their tests share accounts. */
const accounts = new SharedFuzzAccounts();

describe.concurrent('odd calls get a result or an error of the protocol', () => {
  test.for(TOOLS.map(({ name, input }) => [name, Object.keys(input.shape)] as const))('%s', async ([name, names]) => {
    const runs = randomRuns<[Record<string, unknown>]>(CALLS, LIMIT_MILLIS);
    const account = await accounts.next(runs.numRuns!);
    const headers = { Authorization: account.client.apiKey };
    const property = fc.asyncProperty(oddArguments(names, account), async (args) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
      expectGoodManners(await send('POST', '/mcp', toJson(message), headers));
    });
    await fc.assert(property, runs);
  });

  test('messages of any shape', async () => {
    const { client } = await fuzzAccount();
    const message = fc.record(
      {
        jsonrpc: fc.oneof(fc.constant('2.0'), oddValue),
        id: fc.oneof(fc.integer(), oddValue),
        method: fc.oneof(fc.constantFrom('tools/call', 'tools/list', 'initialize'), oddText),
        params: fc.oneof(fc.record({ name: oddValue, _meta: oddValue, arguments: oddValue }), oddValue),
      },
      { requiredKeys: ['jsonrpc', 'id'] },
    );
    const property = fc.asyncProperty(message, async (sent) => {
      const { status, body } = await send('POST', '/mcp', toJson(sent), { Authorization: client.apiKey });
      expect([200, 400, 413]).toContain(status);
      expect(body.jsonrpc).toBe('2.0');
      expect(Object.keys(body)).toContain(body.error ? 'error' : 'result');
    });
    await fc.assert(property, randomRuns(CALLS * 4, LIMIT_MILLIS));
  });
});
