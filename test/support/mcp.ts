import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, inject } from 'vitest';
import type { Client } from './api.ts';

/** Result of a tool call. */
export interface Called {
  /** `structuredContent`, which the SDK has validated against the tool's output schema. */
  // biome-ignore lint/suspicious/noExplicitAny: what stands in a result is what the tests are there to find out
  value: any;
  text: string;
  isError: boolean;
}

/** An assistant connected with a client's key. */
export interface Assistant {
  sdk: McpClient;
  call(tool: string, args?: Record<string, unknown>): Promise<Called>;
  /** Makes a call that succeeds, and returns its value. */
  works(tool: string, args?: Record<string, unknown>): Promise<Called['value']>;
  /** Makes a call that fails: its text names the next step, and matches each of `says`. */
  fails(tool: string, args: Record<string, unknown>, ...says: RegExp[]): Promise<void>;
}

/** The generations of the protocol, with and without a handshake. */
export const ERAS = ['legacy', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

/** Connects the official SDK's client to `/mcp`. */
export async function assistantOf({ apiKey }: Pick<Client, 'apiKey'>, era: Era = '2026-07-28'): Promise<Assistant> {
  const sdk = new McpClient(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: era } } },
  );
  const headers = { Authorization: `Bearer ${apiKey}` };
  await sdk.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', inject('worker').origin), { requestInit: { headers } }),
  );
  // The client only validates results of tools that it has listed.
  await sdk.listTools();
  const call: Assistant['call'] = async (name, args = {}) => {
    const result = await sdk.callTool({ name, arguments: args });
    const [content] = result.content;
    const text = content?.type === 'text' ? content.text : '';
    return { value: result.structuredContent, text, isError: result.isError === true };
  };
  return {
    sdk,
    call,
    async works(tool, args) {
      const { isError, text, value } = await call(tool, args);
      expect(isError, text).toBe(false);
      expect(JSON.parse(text)).toEqual(value);
      return value;
    },
    async fails(tool, args, ...says) {
      const { isError, text, value } = await call(tool, args);
      expect([isError, value], text).toEqual([true, undefined]);
      expect(text).toMatch(/\. Next step: [A-Z].*\.$/);
      for (const word of says) expect(text).toMatch(word);
    },
  };
}
