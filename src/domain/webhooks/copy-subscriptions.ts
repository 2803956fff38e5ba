import { eq } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { Context } from '../context.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/** Subscriptions of accounts in other databases get no events here, and recover none. */
const SILENT = { notifyOwnerAt: null, recoverAfterId: null, recoverUntilId: null };

/** The endpoints of an account in this database. */
export async function subscriptionsIn({ db }: Context, accountId: string): Promise<Subscription[]> {
  return db.select().from(webhookSubscriptions).where(eq(webhookSubscriptions.accountId, accountId));
}

/** The statements that store copies of endpoints, of which deliveries are copied. */
export function insertSilent({ db }: Context, subscriptions: Subscription[]): BatchItem<'sqlite'>[] {
  return subscriptions.map((one) =>
    db
      .insert(webhookSubscriptions)
      .values({ ...one, ...SILENT })
      .onConflictDoNothing(),
  );
}

/** The statement that silences the endpoints of an account which lives in another database. */
export function silence({ db }: Context, accountId: string) {
  return db.update(webhookSubscriptions).set(SILENT).where(eq(webhookSubscriptions.accountId, accountId));
}
