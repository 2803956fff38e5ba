import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type * as z from 'zod';
import type { ApiEnv } from '../api/api-env.ts';
import { requireKey, sentKey } from '../api/auth.ts';
import { startReading } from '../api/body.ts';
import { toJsonSchema } from '../api/json-schema.ts';
import { toFailure } from '../api/status.ts';
import { limitRate } from '../api/version.ts';
import type { KeyRights } from '../domain/api-keys/rights.ts';
import { grants } from '../domain/api-keys/scopes.ts';
import { DomainError } from '../domain/errors.ts';
import { type AskApi, callTool, failedCall, readyCall } from './call-tool.ts';
import {
  CODES,
  LEGACY,
  type Message,
  type MessageId,
  ProtocolError,
  readMessage,
  SERVER_INFO_KEY,
  SUPPORTED,
} from './protocol.ts';
import type { ApiRequest, Tool } from './tool.ts';
import { TOOLS } from './tools/index.ts';

/** The API that tools call. */
type Api = (request: Request, c: Context<ApiEnv>) => Promise<Response>;

/**
 * Returns the routes of the Model Context Protocol over Streamable HTTP. It uses no sessions or streams: each POST has
 * one JSON reply.
 */
export function mcpRoutes(api: Api): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.onError(onError);
  app.post('/mcp', async (c) => {
    refuseForeignOrigin(c);
    if (sentKey(c.req.header('Authorization')) === '') throw new DomainError('unauthorized', 'Missing API key');
    await startReading(c);
    return reply(c, api);
  });
  app.all('/mcp', (c) => {
    c.header('Allow', 'POST');
    throw new DomainError('method_not_allowed', `${c.req.method} is not allowed here; use POST`);
  });
  return app;
}

/** Refuses pages of other sites, which could reach a service in their visitor's network (DNS rebinding). */
function refuseForeignOrigin(c: Context<ApiEnv>): void {
  const origin = c.req.header('Origin');
  if (origin === undefined || origin === new URL(c.var.baseContext.baseUrl).origin) return;
  throw new DomainError('forbidden', `requests from pages of ${origin} are not allowed`);
}

async function reply(c: Context<ApiEnv>, api: Api): Promise<Response> {
  const message = await readMessageOf(c);
  const { id, method, params } = message;
  if (method !== 'tools/call' || id === undefined) {
    await checkKey(c);
    return id === undefined ? c.body(null, 202) : c.json(resultMessage(message, answer(message, c.var.rights)));
  }
  const tool = TOOLS.find(({ name }) => name === params.name);
  if (!tool) {
    await checkKey(c);
    const known = TOOLS.map(({ name }) => name).join(', ');
    throw new ProtocolError(CODES.invalidParams, `Unknown tool; use one of: ${known}`, { status: 200, id });
  }
  c.set('route', `/mcp ${tool.name}`);
  const ask: AskApi = (request) => api(requestFor(c, request), c);
  const call = readyCall(tool, params.arguments ?? {});
  if ('args' in call) return c.json(resultMessage(message, await callTool(call, ask)));
  // The API checks the key of calls that reach it.
  await checkKey(c);
  return c.json(resultMessage(message, await failedCall(call, ask)));
}

/** Reads the message. Only a caller with a valid key learns what is wrong with it. */
async function readMessageOf(c: Context<ApiEnv>): Promise<Message> {
  try {
    return readMessage(c.var.rawBody, c.req.raw.headers);
  } catch (error) {
    await checkKey(c);
    throw error;
  }
}

const nothingMore = async () => {};

async function checkKey(c: Context<ApiEnv>): Promise<void> {
  await requireKey(c, nothingMore);
  await limitRate(c, nothingMore);
}

/** Headers that identify the caller and its address. */
const PASSED_ON = ['Authorization', 'CF-Connecting-IP', 'User-Agent'];

function requestFor(c: Context<ApiEnv>, { method, path, query = {}, body, idempotencyKey }: ApiRequest): Request {
  const url = new URL(path, c.req.url);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const headers = new Headers(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey });
  for (const name of PASSED_ON) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  if (body === undefined) return new Request(url, { method, headers });
  headers.set('Content-Type', 'application/json');
  return new Request(url, { method, headers, body: JSON.stringify(body) });
}

function onError(error: Error, c: Context<ApiEnv>): Response {
  if (error instanceof ProtocolError) {
    const { code, message, status, data, id } = error;
    return c.json(errorMessage(code, message, id, data), status);
  }
  const { status, messages } = toFailure(error, c);
  if (status === 401) c.header('WWW-Authenticate', 'Bearer realm="Pass wallet service"');
  // The protocol has no codes for these, and reserves its own range, so the HTTP status serves as the code.
  return c.json(errorMessage(status, messages.join('; ')), status as ContentfulStatusCode);
}

function errorMessage(code: number, message: string, id?: MessageId, data?: unknown) {
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

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
function answer({ id, method, params, isModern }: Message, rights: KeyRights): Record<string, unknown> {
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
function resultMessage({ id, isModern }: Message, result: Record<string, unknown>) {
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
