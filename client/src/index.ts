export type { CallOptions, FileBody, Reply } from './call.ts';
export { type Issue, PassWalletError } from './errors.ts';
export type * from './generated/types.ts';
export type { Pages } from './pages.ts';
export { PassWallet, type PassWalletOptions } from './pass-wallet.ts';
export { readEvents, type StreamEvent } from './server-sent-events.ts';
export {
  type VerificationFailure,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhooks.ts';
