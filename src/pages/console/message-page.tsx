import { ConsoleLayout } from './console-layout.tsx';

/** Why there is no page to show, and what to do about it. */
const MESSAGES = {
  linkSpent: {
    title: 'This link does not work any more',
    text: 'Each sign-in link works once and only for a short time. Please get a new one.',
    action: { title: 'How to get a link', href: '/console/sign-in' },
  },
  foreignForm: {
    title: 'This request did not come from the console',
    text: 'A form of another site, or a browser that hides where a form stands, has sent it. Nothing was changed.',
    action: { title: 'To the console', href: '/console' },
  },
  tooLarge: {
    title: 'This form is too large',
    text: 'The service does not read that much at once. Nothing was changed.',
    action: { title: 'To the console', href: '/console' },
  },
  tooMany: {
    title: 'Too many requests',
    text: 'Please wait a minute, then try again.',
    action: { title: 'To the console', href: '/console' },
  },
  notFound: {
    title: 'Nothing here',
    text: 'The page does not exist, or it belongs to an account that you are not a member of.',
    action: { title: 'To the console', href: '/console' },
  },
  forbidden: {
    title: 'Not with your privileges',
    text: 'An owner of the account can give you the privilege that this page needs.',
    action: { title: 'To the console', href: '/console' },
  },
  suspended: {
    title: 'This account is suspended',
    text: 'The operator of the service has suspended it. Its API keys and scanner links are refused, and its webhooks, messages and processes wait. Its passes still work, and nothing is deleted. Ask the operator to resume it.',
    action: { title: 'Your sign-in', href: '/console/you' },
  },
  refused: {
    title: 'That cannot be done',
    text: 'Nothing was changed.',
    action: { title: 'To the console', href: '/console' },
  },
  error: {
    title: 'Something went wrong',
    text: 'The fault is ours, not yours. Please try again in a moment.',
    action: { title: 'To the console', href: '/console' },
  },
};

export type ConsoleMessage = keyof typeof MESSAGES;

interface MessageProps {
  message: ConsoleMessage;
  /** Helps whoever is asked about it. */
  requestId?: string;
  /** What a rule says. */
  details?: string[];
}

/** A page with nothing but a message. */
export function ConsoleMessagePage({ message, requestId, details = [] }: MessageProps) {
  const { title, text, action } = MESSAGES[message];
  return (
    <ConsoleLayout title={title}>
      <h1>{title}</h1>
      <p class="lead">{text}</p>
      {details.map((detail) => (
        <p>{detail}</p>
      ))}
      {requestId && (
        <p class="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
      <p>
        <a class="button quiet" href={action.href}>
          {action.title}
        </a>
      </p>
    </ConsoleLayout>
  );
}
