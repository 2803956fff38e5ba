import { type SealedColumn, sealedColumn } from '../sealed-columns.ts';
import { webhookSubscriptions } from './table.ts';

const SEALED = ['secretSealed', 'previousSecretSealed', 'accessTokenSealed'] as const;

/** Encrypted columns of webhooks. */
export const WEBHOOK_SECRETS: SealedColumn[] = SEALED.map((name) =>
  sealedColumn(webhookSubscriptions, name, webhookSubscriptions.id),
);
