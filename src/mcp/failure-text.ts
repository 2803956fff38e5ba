import type { Tool } from './tool.ts';

/** A failed call with the API's error. */
export interface Failure {
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
