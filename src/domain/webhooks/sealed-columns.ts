import { type SealedColumn, stillStands } from '../sealed-columns.ts';
import { webhookSubscriptions } from './table.ts';

const SEALED = ['secretSealed', 'previousSecretSealed', 'accessTokenSealed'] as const;

/** What is encrypted of webhooks. */
export const WEBHOOK_SECRETS: SealedColumn[] = SEALED.map((name) => ({
  name: `webhook_subscriptions.${webhookSubscriptions[name].name}`,
  table: webhookSubscriptions,
  row: webhookSubscriptions.id,
  sealed: webhookSubscriptions[name],
  replace: (ctx, value, fresh) =>
    ctx.db
      .update(webhookSubscriptions)
      .set({ [name]: fresh })
      .where(stillStands({ row: webhookSubscriptions.id, sealed: webhookSubscriptions[name] }, value))
      .returning({ id: webhookSubscriptions.id }),
}));
