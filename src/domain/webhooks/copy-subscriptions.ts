import { eq } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { Context } from '../context.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/** Values that silence a subscription of an account in another database: it gets no events here, and recovers none. */
const SILENT = { notifyOwnerAt: null, recoverAfterId: null, recoverUntilId: null };

/** Returns an account's subscriptions in this database. */
export async function subscriptionsIn({ db }: Context, accountId: string): Promise<Subscription[]> {
  return db.select().from(webhookSubscriptions).where(eq(webhookSubscriptions.accountId, accountId));
}

/** Builds the statements that store copies of subscriptions, whose deliveries are copied, too. */
export function insertSilent({ db }: Context, subscriptions: Subscription[]): BatchItem<'sqlite'>[] {
  return subscriptions.map((one) =>
    db
      .insert(webhookSubscriptions)
      .values({ ...one, ...SILENT })
      .onConflictDoNothing(),
  );
}

/** Builds the statement that silences the subscriptions of an account in another database. */
export function silence({ db }: Context, accountId: string) {
  return db.update(webhookSubscriptions).set(SILENT).where(eq(webhookSubscriptions.accountId, accountId));
}
