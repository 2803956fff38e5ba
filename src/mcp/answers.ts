import type * as z from 'zod';
import { toJsonSchema } from '../api/json-schema.ts';
import type { KeyRights } from '../domain/api-keys/rights.ts';
import { grants } from '../domain/api-keys/scopes.ts';
import { CODES, LEGACY, type Message, ProtocolError, SERVER_INFO_KEY, SUPPORTED } from './protocol.ts';
import type { Tool } from './tool.ts';
import { TOOLS } from './tools/index.ts';

/** The version of the tools, which changes when a tool or an argument does. */
const SERVER_INFO = { name: 'pass-wallet-service', title: 'Pass wallet service', version: '1.0.0' };

const INSTRUCTIONS =
  'Issues and manages passes for Apple Wallet and Google Wallet. Start with list_templates and describe_template, or ' +
  'find a pass with search_passes. Ask the user before you call a tool that changes many passes or sends a message. ' +
  'The error of a failed call states the next step. These tools cannot delete anything, and you can undo void_pass.';

const CAPABILITIES = { tools: {} };

/** How long a client may cache the list of tools, which depends on the key's rights. */
const CACHE = { ttlMs: 300_000, cacheScope: 'private' };

/** Answers the methods that every client calls before it calls a tool. */
export function answer({ id, method, params, isModern }: Message, rights: KeyRights): Record<string, unknown> {
  switch (isModern ? `modern ${method}` : method) {
    case 'initialize':
      return {
        protocolVersion: LEGACY.find((version) => version === params.protocolVersion) ?? LEGACY[0],
        capabilities: CAPABILITIES,
        serverInfo: SERVER_INFO,
        instructions: INSTRUCTIONS,
      };
    case 'ping':
      return {};
    case 'modern server/discover':
      return { supportedVersions: SUPPORTED, capabilities: CAPABILITIES, instructions: INSTRUCTIONS, ...CACHE };
    case 'tools/list':
      return { tools: toolsFor(rights) };
    case 'modern tools/list':
      return { tools: toolsFor(rights), ...CACHE };
    default:
      throw new ProtocolError(CODES.methodNotFound, 'Method not found', {
        status: isModern ? 404 : 200,
        id,
        data: { method },
      });
  }
}

/** Wraps a result in the format of the request's protocol generation. */
export function resultMessage({ id, isModern }: Message, result: Record<string, unknown>) {
  if (!isModern) return { jsonrpc: '2.0', id, result };
  return {
    jsonrpc: '2.0',
    id,
    result: { resultType: 'complete', ...result, _meta: { [SERVER_INFO_KEY]: SERVER_INFO } },
  };
}

/** Returns the tools that a key may call. Others would only fail, so an assistant doesn't see them. */
function toolsFor({ scopes, templateIds }: KeyRights) {
  const canCall = ({ scope, isAccountWide }: Tool) => grants(scopes, scope) && !(isAccountWide && templateIds);
  return TOOLS.filter(canCall).map(described);
}

function described({ name, title, description, hints, input, output }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: shortSchema(input),
    outputSchema: shortSchema(output),
    annotations: { title, ...hints },
  };
}

/** Returns a JSON Schema without keywords that add nothing, because models read it in every conversation. */
function shortSchema(schema: z.ZodType): unknown {
  const text = JSON.stringify(toJsonSchema(schema, 'input'), (name, value) => {
    const isBound = (name === 'minimum' || name === 'maximum') && Math.abs(value) === Number.MAX_SAFE_INTEGER;
    return isBound || name === 'propertyNames' ? undefined : value;
  });
  return JSON.parse(text);
}
