import { checked } from '../domain/check.ts';
import { DomainError, ERROR_STATUS } from '../domain/errors.ts';
import { isObject } from './protocol.ts';
import type { ApiRequest, Tool } from './tool.ts';
import { withoutNulls } from './tools/fields.ts';

/** Sends a request to the API on behalf of the tool's caller. */
export type AskApi = (request: ApiRequest) => Promise<Response>;

/** The result of a call in the protocol's format. */
interface ToolResult extends Record<string, unknown> {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** A call with valid arguments, and its API request. */
interface ReadyCall {
  tool: Tool;
  args: Record<string, unknown>;
  request: ApiRequest;
}

/** Checks the arguments of a call. Returns a `Failure` if they are invalid. */
export function readyCall(tool: Tool, given: unknown): ReadyCall | Failure {
  try {
    // Some models must name every argument, and send null for those that they leave out.
    const sent = isObject(given) ? withoutNulls(given) : given;
    const args = checked(tool.input, sent);
    return { tool, args, request: tool.request(args) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { tool, status: ERROR_STATUS[error.kind], message: error.message };
  }
}

/** Calls the API for a tool. Throws `unauthorized` if the API refuses the key, because that affects every call. */
export async function callTool({ tool, args, request }: ReadyCall, ask: AskApi): Promise<ToolResult> {
  const reply = await ask(request);
  const body = await bodyOf(reply);
  if (reply.status === 401) throw new DomainError('unauthorized', messageOf(body));
  if (!reply.ok && reply.status !== 304) {
    const retryAfter = reply.headers.get('Retry-After') ?? undefined;
    return failedCall({ tool, status: reply.status, message: messageOf(body), retryAfter }, ask);
  }
  const structuredContent = tool.output.parse(tool.result(body, args, reply.status));
  // For clients that read only text, the protocol requires the same content as text.
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

/** Returns the result of a failed call: what is wrong, and the next step. */
export async function failedCall(failure: Failure, ask: AskApi): Promise<ToolResult> {
  const text = failureText(failure, await choicesFor(failure, ask));
  return { content: [{ type: 'text', text }], isError: true };
}

/** Returns the available choices if an argument named something unknown. */
async function choicesFor({ tool, status, message }: Failure, ask: AskApi): Promise<string | undefined> {
  const { choices } = tool;
  if (!choices || !(status === 404 || (status === 400 && message.includes(choices.argument)))) return undefined;
  const reply = await ask(choices.request);
  return reply.ok ? choices.describe(await reply.json()) : undefined;
}

async function bodyOf(reply: Response): Promise<unknown> {
  const text = await reply.text();
  return text === '' ? undefined : JSON.parse(text);
}

/** Returns the message of an error body of any API version. */
function messageOf(body: unknown): string {
  const { ErrorMessage, description } = (body ?? {}) as { ErrorMessage?: string; description?: string };
  return ErrorMessage ?? description ?? 'The request failed';
}

/** A failed call with the API's error. */
interface Failure {
  tool: Tool;
  status: number;
  message: string;
  /** Seconds. */
  retryAfter?: string;
}

/** Describes the failure and the next step, for the model that made the call. */
export function failureText(failure: Failure, choices?: string): string {
  const { message } = failure;
  return [`${message.replace(/[.;]$/, '')}.`, 'Next step:', nextStep(failure), choices].filter(Boolean).join(' ');
}

function nextStep({ tool, status, message, retryAfter }: Failure): string {
  switch (status) {
    case 400:
    case 413:
    case 422:
      return [tool.ifInvalid, `Correct the named arguments, then call ${tool.name} again.`].filter(Boolean).join(' ');
    case 403:
      return forbiddenStep(message);
    case 404:
      return tool.ifUnknown ?? 'Check the identifier.';
    case 409:
      return `Call ${tool.name} again in a moment.`;
    case 429:
      return `Wait ${retryAfter ?? '60'} seconds, then call ${tool.name} again.`;
    default:
      return `Call ${tool.name} again${retryAfter ? ` in ${retryAfter} seconds` : ''}. If it fails again, tell the user.`;
  }
}

function forbiddenStep(message: string): string {
  const [, scope] = /^missing scope: (\S+)$/.exec(message) ?? [];
  if (scope) return `Ask the user for an API key with the scope ${scope}; the console creates one under API keys.`;
  if (message.startsWith('quota exceeded'))
    return 'Ask the user to contact the operator of the service about a higher quota.';
  if (message.startsWith('address not allowed')) {
    return 'Ask the user to allow this address for the API key, or to use another key.';
  }
  return 'Ask the user for an API key that may do this; the console creates one under API keys.';
}
