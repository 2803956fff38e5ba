import { ConsoleLayout } from './console-layout.tsx';
import { LinkButton } from './parts.tsx';

/** Messages shown in place of a page, with the next step. */
const MESSAGES = {
  linkSpent: {
    title: 'This link no longer works',
    text: 'Each sign-in link works once and only for a short time. Request a new one.',
    action: { title: 'Request a link', href: '/console/sign-in' },
  },
  foreignForm: {
    title: 'This request did not come from the console',
    text: 'Another site sent it, or your browser hides where it came from. Nothing was changed.',
    action: { title: 'Open console', href: '/console' },
  },
  tooLarge: {
    title: 'This form is too large',
    text: 'Nothing was changed. Send less data at once.',
    action: { title: 'Open console', href: '/console' },
  },
  tooMany: {
    title: 'Too many requests',
    text: 'Wait a minute, then try again.',
    action: { title: 'Open console', href: '/console' },
  },
  notFound: {
    title: 'Page not found',
    text: 'The page does not exist, or it belongs to an account that you are not a member of.',
    action: { title: 'Open console', href: '/console' },
  },
  forbidden: {
    title: 'Missing privilege',
    text: 'You don’t have the privilege for this page. Ask an owner of the account to grant it.',
    action: { title: 'Open console', href: '/console' },
  },
  suspended: {
    title: 'This account is suspended',
    text: 'The operator of the service has suspended it. Its API keys and scanner links don’t work, and its webhooks, messages and processes wait. Its passes still work, and nothing is deleted. Ask the operator to resume it.',
    action: { title: 'Your sign-in', href: '/console/you' },
  },
  refused: {
    title: 'This action isn’t possible',
    text: 'Nothing changed.',
    action: { title: 'Open console', href: '/console' },
  },
  moving: {
    title: 'The account is being moved',
    text: 'Nothing was changed. Try again in a few seconds.',
    action: { title: 'Open console', href: '/console' },
  },
  error: {
    title: 'Something went wrong',
    text: 'The problem is on our end. Try again in a moment.',
    action: { title: 'Open console', href: '/console' },
  },
};

export type ConsoleMessage = keyof typeof MESSAGES;

interface MessageProps {
  message: ConsoleMessage;
  /** For support requests. */
  requestId?: string;
  /** Messages of the rule that rejected the request. */
  details?: string[];
}

/** A page with only a message. */
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
        <LinkButton href={action.href} title={action.title} look="quiet" />
      </p>
    </ConsoleLayout>
  );
}
