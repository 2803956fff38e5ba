import { checked } from '../domain/check.ts';
import { DomainError, ERROR_STATUS } from '../domain/errors.ts';
import { type Failure, failureText } from './failure-text.ts';
import { isObject } from './protocol.ts';
import type { ApiRequest, Tool } from './tool.ts';
import { withoutNulls } from './tools/fields.ts';

/** Sends a request to the API, as the caller of the tool. */
export type AskApi = (request: ApiRequest) => Promise<Response>;

/** The result of a call, as the protocol has it. */
export interface ToolResult extends Record<string, unknown> {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** A call whose arguments fit the schema of its tool, and the request that it stands for. */
export interface ReadyCall {
  tool: Tool;
  args: Record<string, unknown>;
  request: ApiRequest;
}

/** Checks the arguments of a call; returns the result of a call that fails by them. */
export function readyCall(tool: Tool, given: unknown): ReadyCall | Failure {
  try {
    // Models that must name every argument send null for those that they leave out.
    const sent = isObject(given) ? withoutNulls(given) : given;
    const args = checked(tool.input, sent);
    return { tool, args, request: tool.request(args) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { tool, status: ERROR_STATUS[error.kind], message: error.message };
  }
}

/** Calls the API for a tool. Throws `unauthorized` for a key that the API refuses: that concerns every call. */
export async function callTool({ tool, args, request }: ReadyCall, ask: AskApi): Promise<ToolResult> {
  const reply = await ask(request);
  const body = await bodyOf(reply);
  if (reply.status === 401) throw new DomainError('unauthorized', messageOf(body));
  if (!reply.ok && reply.status !== 304) {
    const retryAfter = reply.headers.get('Retry-After') ?? undefined;
    return failedCall({ tool, status: reply.status, message: messageOf(body), retryAfter }, ask);
  }
  const structuredContent = tool.output.parse(tool.result(body, args, reply.status));
  // For clients that read texts only, the protocol wants the same as a text.
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

/** The result of a call that failed: what is wrong, and the next step. */
export async function failedCall(failure: Failure, ask: AskApi): Promise<ToolResult> {
  const text = failureText(failure, await choicesFor(failure, ask));
  return { content: [{ type: 'text', text }], isError: true };
}

/** What there is to choose from, where an argument named nothing. */
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

/** The words of a failure, in the shape of any version of the API. */
function messageOf(body: unknown): string {
  const { ErrorMessage, description } = (body ?? {}) as { ErrorMessage?: string; description?: string };
  return ErrorMessage ?? description ?? 'The request failed';
}
